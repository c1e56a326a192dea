module Main where
-- | Doc
add :: Int -> Int
add x = x + 1
data Shape = Circle Int | Square { side :: Int }
newtype N = N Int
class Show a => Pretty a where
  pretty :: a -> String
type Alias = Int
val = 3
