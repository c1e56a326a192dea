module M
  VERSION = "1"
  # Doc of C.
  class C < D
    attr_accessor :name
    def initialize(a); @a = a; end
    def self.build(x) = new(x)
    class << self
      def q; end
    end
    def ok?; true; end
  end
end
class A::B; end
