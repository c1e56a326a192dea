defmodule A.B do
  @moduledoc "Doc"
  @k 1
  defstruct [:a]
  def pub(a, b), do: a + b
  defp priv(x) when x > 1 do
    x
  end
  defmacro mac(x), do: x
end
