"""A sketch of Java's standard library: the types whose values lead back to workspace types.

Only what passes on type arguments is listed; other members may exist all the same.
"""

SKETCH = """
class Object { String toString(); boolean equals(Object o); int hashCode(); Class<?> getClass();
  void notify(); void notifyAll(); }
class String implements CharSequence, Comparable<String>, Serializable {
  int length(); char charAt(int i); String substring(int a); String substring(int a, int b);
  String trim(); String toLowerCase(); String toUpperCase(); boolean isEmpty();
  int indexOf(String s); int lastIndexOf(String s); String replace(CharSequence a, CharSequence b);
  String[] split(String s); boolean startsWith(String s); boolean endsWith(String s);
  boolean contains(CharSequence s); boolean equalsIgnoreCase(String s); char[] toCharArray();
  byte[] getBytes(); String intern(); String concat(String s); int compareTo(String s);
  static String valueOf(Object o); static String format(String f, Object... a);
  static String join(CharSequence d, Object... parts); String repeat(int n); String strip();
  Stream<String> lines(); }
interface CharSequence { int length(); char charAt(int i); CharSequence subSequence(int a, int b);
  String toString(); }
interface Comparable<T> { int compareTo(T other); }
interface Serializable {}
interface Cloneable {}
interface Appendable {}
interface AutoCloseable { void close(); }
interface Closeable extends AutoCloseable { void close(); }
class StringBuilder implements CharSequence, Appendable, Serializable {
  StringBuilder append(Object o); StringBuilder insert(int at, Object o); int length();
  StringBuilder reverse(); StringBuilder deleteCharAt(int i); StringBuilder delete(int a, int b);
  char charAt(int i); String toString(); String substring(int a); String substring(int a, int b); }
class StringBuffer implements CharSequence, Appendable, Serializable {
  StringBuffer append(Object o); StringBuffer insert(int at, Object o); int length();
  char charAt(int i); String toString(); }
class Number implements Serializable { int intValue(); long longValue(); double doubleValue();
  float floatValue(); short shortValue(); byte byteValue(); }
class Integer extends Number implements Comparable<Integer> { static Integer valueOf(int i);
  static int parseInt(String s); static String toString(int i); }
class Long extends Number implements Comparable<Long> { static Long valueOf(long i);
  static long parseLong(String s); }
class Short extends Number implements Comparable<Short> { static Short valueOf(short s); }
class Byte extends Number implements Comparable<Byte> { static Byte valueOf(byte b); }
class Double extends Number implements Comparable<Double> { static Double valueOf(double d); }
class Float extends Number implements Comparable<Float> { static Float valueOf(float f); }
class BigInteger extends Number implements Comparable<BigInteger> {}
class BigDecimal extends Number implements Comparable<BigDecimal> {}
class Boolean implements Comparable<Boolean>, Serializable { static Boolean valueOf(boolean b);
  boolean booleanValue(); }
class Character implements Comparable<Character>, Serializable { static Character valueOf(char c);
  char charValue(); }
class Enum<E extends Enum<E>> implements Comparable<E>, Serializable { String name();
  int ordinal(); Class<E> getDeclaringClass(); }
class Class<T> implements Serializable, Type { T newInstance(); T cast(Object o); String getName();
  String getSimpleName(); T[] getEnumConstants(); boolean isInstance(Object o); boolean isArray();
  Class<? super T> getSuperclass(); ClassLoader getClassLoader(); boolean isPrimitive(); }
interface Type {}
interface Iterable<T> { Iterator<T> iterator(); default void forEach(Consumer<? super T> a) {} }
interface Iterator<E> { boolean hasNext(); E next(); default void remove() {} }
interface Enumeration<E> { boolean hasMoreElements(); E nextElement(); }
interface ListIterator<E> extends Iterator<E> { E previous(); boolean hasPrevious(); void set(E e);
  void add(E e); int nextIndex(); int previousIndex(); }
interface Collection<E> extends Iterable<E> { int size(); boolean isEmpty(); boolean add(E e);
  boolean contains(Object o); boolean remove(Object o); boolean addAll(Collection<? extends E> c);
  <T> T[] toArray(T[] a); Stream<E> stream(); Stream<E> parallelStream(); void clear();
  boolean removeIf(Predicate<? super E> p); boolean containsAll(Collection<?> c);
  boolean removeAll(Collection<?> c); boolean retainAll(Collection<?> c); }
interface List<E> extends Collection<E> { E get(int i); E set(int i, E e); E remove(int i);
  boolean remove(Object o); void add(int i, E e); boolean add(E e); List<E> subList(int a, int b);
  ListIterator<E> listIterator(); ListIterator<E> listIterator(int i); int indexOf(Object o);
  void sort(Comparator<? super E> c); void replaceAll(UnaryOperator<E> o); E getFirst();
  static <T> List<T> of(T... all); static <T> List<T> copyOf(Collection<? extends T> c); }
interface Set<E> extends Collection<E> { static <T> Set<T> of(T... all);
  static <T> Set<T> copyOf(Collection<? extends T> c); }
interface SortedSet<E> extends Set<E> { E first(); E last(); SortedSet<E> headSet(E e);
  SortedSet<E> tailSet(E e); SortedSet<E> subSet(E a, E b); Comparator<? super E> comparator(); }
interface NavigableSet<E> extends SortedSet<E> { E lower(E e); E floor(E e); E ceiling(E e);
  E higher(E e); E pollFirst(); E pollLast(); }
interface Queue<E> extends Collection<E> { E poll(); E peek(); E remove(); E element();
  boolean offer(E e); }
interface Deque<E> extends Queue<E> { E pop(); void push(E e); E peekFirst(); E peekLast();
  E pollFirst(); E pollLast(); E getFirst(); E getLast(); E removeFirst(); E removeLast();
  void addFirst(E e); void addLast(E e); Iterator<E> descendingIterator(); }
interface BlockingQueue<E> extends Queue<E> { E take(); void put(E e); }
class AbstractCollection<E> implements Collection<E> {}
class AbstractList<E> extends AbstractCollection<E> implements List<E> {}
class AbstractSequentialList<E> extends AbstractList<E> {}
class AbstractSet<E> extends AbstractCollection<E> implements Set<E> {}
class AbstractQueue<E> extends AbstractCollection<E> implements Queue<E> {}
class AbstractMap<K, V> implements Map<K, V> {}
class ArrayList<E> extends AbstractList<E> implements Cloneable, Serializable {}
class LinkedList<E> extends AbstractList<E> implements Deque<E>, Cloneable, Serializable {}
class Vector<E> extends AbstractList<E> implements Cloneable, Serializable { E elementAt(int i);
  E firstElement(); E lastElement(); void addElement(E e); Enumeration<E> elements(); }
class Stack<E> extends Vector<E> { E push(E e); E pop(); E peek(); }
class ArrayDeque<E> extends AbstractCollection<E> implements Deque<E>, Cloneable, Serializable {}
class PriorityQueue<E> extends AbstractQueue<E> implements Serializable {}
class ConcurrentLinkedQueue<E> extends AbstractQueue<E> {}
class LinkedBlockingQueue<E> extends AbstractQueue<E> implements BlockingQueue<E> {}
class CopyOnWriteArrayList<E> implements List<E> {}
class HashSet<E> extends AbstractSet<E> implements Cloneable, Serializable {}
class LinkedHashSet<E> extends HashSet<E> {}
class TreeSet<E> extends AbstractSet<E> implements NavigableSet<E>, Cloneable, Serializable {}
class EnumSet<E> extends AbstractSet<E> { static <T> EnumSet<T> of(T a, T... all);
  static <T> EnumSet<T> noneOf(Class<T> c); static <T> EnumSet<T> allOf(Class<T> c); }
interface Map<K, V> { V get(Object k); V put(K k, V v); V remove(Object k); int size();
  boolean containsKey(Object k); boolean containsValue(Object v); boolean isEmpty(); void clear();
  Set<K> keySet(); Collection<V> values(); Set<Entry<K, V>> entrySet();
  V getOrDefault(Object k, V v); V putIfAbsent(K k, V v);
  void putAll(Map<? extends K, ? extends V> m);
  V computeIfAbsent(K k, Function<? super K, ? extends V> f); V replace(K k, V v);
  V computeIfPresent(K k, BiFunction<? super K, ? super V, ? extends V> f);
  V compute(K k, BiFunction<? super K, ? super V, ? extends V> f);
  V merge(K k, V v, BiFunction<? super V, ? super V, ? extends V> f);
  void forEach(BiConsumer<? super K, ? super V> a);
  static <A, B> Map<A, B> of(A a, B b); }
interface Entry<K, V> { K getKey(); V getValue(); V setValue(V v); }
interface SortedMap<K, V> extends Map<K, V> { K firstKey(); K lastKey();
  SortedMap<K, V> headMap(K k);
  SortedMap<K, V> tailMap(K k); SortedMap<K, V> subMap(K a, K b);
  Comparator<? super K> comparator(); }
interface NavigableMap<K, V> extends SortedMap<K, V> { Entry<K, V> firstEntry();
  Entry<K, V> lastEntry(); Entry<K, V> floorEntry(K k); Entry<K, V> ceilingEntry(K k);
  K floorKey(K k); K ceilingKey(K k); Entry<K, V> pollFirstEntry(); }
interface ConcurrentMap<K, V> extends Map<K, V> {}
class HashMap<K, V> extends AbstractMap<K, V> implements Cloneable, Serializable {}
class LinkedHashMap<K, V> extends HashMap<K, V> {}
class TreeMap<K, V> extends AbstractMap<K, V>
  implements NavigableMap<K, V>, Cloneable, Serializable {}
class WeakHashMap<K, V> extends AbstractMap<K, V> {}
class IdentityHashMap<K, V> extends AbstractMap<K, V> {}
class EnumMap<K, V> extends AbstractMap<K, V> {}
class Hashtable<K, V> implements Map<K, V>, Cloneable, Serializable { Enumeration<V> elements(); }
class ConcurrentHashMap<K, V> extends AbstractMap<K, V>
  implements ConcurrentMap<K, V>, Serializable {}
class Optional<T> { T get(); T orElse(T other); T orElseGet(Supplier<? extends T> s);
  boolean isPresent(); boolean isEmpty(); void ifPresent(Consumer<? super T> c); T orElseThrow();
  T orElseThrow(Supplier<?> s); Optional<T> filter(Predicate<? super T> p);
  <U> Optional<U> map(Function<? super T, ? extends U> f);
  <U> Optional<U> flatMap(Function<? super T, Optional<U>> f);
  void ifPresentOrElse(Consumer<? super T> c, Runnable r); Stream<T> stream();
  Optional<T> or(Supplier<Optional<T>> s);
  static <T> Optional<T> of(T t); static <T> Optional<T> ofNullable(T t);
  static <T> Optional<T> empty(); }
interface Stream<T> { Stream<T> filter(Predicate<? super T> p); Stream<T> distinct();
  <R> Stream<R> map(Function<? super T, ? extends R> f); Stream<T> sorted();
  <R> Stream<R> flatMap(Function<? super T, Stream<? extends R>> f);
  Stream<T> sorted(Comparator<? super T> c); Stream<T> peek(Consumer<? super T> c);
  Stream<T> limit(long n); Stream<T> skip(long n); void forEach(Consumer<? super T> c);
  void forEachOrdered(Consumer<? super T> c); Optional<T> findFirst(); Optional<T> findAny();
  Optional<T> min(Comparator<? super T> c); Optional<T> max(Comparator<? super T> c);
  boolean anyMatch(Predicate<? super T> p); boolean allMatch(Predicate<? super T> p);
  boolean noneMatch(Predicate<? super T> p); T reduce(T t, BinaryOperator<T> o);
  Optional<T> reduce(BinaryOperator<T> o); <R, A> R collect(Collector<? super T, A, R> c);
  IntStream mapToInt(ToIntFunction<? super T> f); long count(); List<T> toList();
  LongStream mapToLong(ToLongFunction<? super T> f); Iterator<T> iterator();
  static <T> Stream<T> of(T... all); static <T> Stream<T> concat(Stream<T> a, Stream<T> b);
  static <T> Stream<T> empty(); Stream<T> parallel(); Stream<T> takeWhile(Predicate<? super T> p); }
interface Collector<T, A, R> {}
class Collectors { static <T> Collector<T, ?, List<T>> toList();
  static <T> Collector<T, ?, Set<T>> toSet(); static Collector<CharSequence, ?, String> joining();
  static Collector<CharSequence, ?, String> joining(CharSequence d); }
class Collections { static <T> List<T> unmodifiableList(List<? extends T> l);
  static <T> Set<T> unmodifiableSet(Set<? extends T> s); static <T> Set<T> singleton(T t);
  static <T> Collection<T> unmodifiableCollection(Collection<? extends T> c);
  static <K, V> Map<K, V> unmodifiableMap(Map<? extends K, ? extends V> m);
  static <T> List<T> synchronizedList(List<T> l); static <T> List<T> singletonList(T t);
  static <T> List<T> emptyList(); static <T> Set<T> emptySet(); static <K, V> Map<K, V> emptyMap();
  static <K, V> Map<K, V> singletonMap(K k, V v); static <T> T max(Collection<? extends T> c);
  static <T> T min(Collection<? extends T> c); static <T> Iterator<T> emptyIterator(); }
class Arrays { static <T> List<T> asList(T... all); static <T> Stream<T> stream(T[] all);
  static <T> T[] copyOf(T[] all, int n); static <T> T[] copyOfRange(T[] all, int a, int b); }
class Objects { static <T> T requireNonNull(T t); static <T> T requireNonNull(T t, String s);
  static <T> T requireNonNull(T t, Supplier<String> s); static boolean equals(Object a, Object b);
  static int hash(Object... all); static <T> T requireNonNullElse(T a, T b); }
interface Function<T, R> { R apply(T t);
  default <V> Function<T, V> andThen(Function<? super R, ? extends V> f) {} }
interface BiFunction<T, U, R> { R apply(T t, U u); }
interface UnaryOperator<T> extends Function<T, T> { T apply(T t); }
interface BinaryOperator<T> extends BiFunction<T, T, T> { T apply(T t, T u); }
interface Supplier<T> { T get(); }
interface Consumer<T> { void accept(T t); }
interface BiConsumer<T, U> { void accept(T t, U u); }
interface Predicate<T> { boolean test(T t); default Predicate<T> and(Predicate<? super T> p) {}
  default Predicate<T> or(Predicate<? super T> p) {} default Predicate<T> negate() {} }
interface BiPredicate<T, U> { boolean test(T t, U u); }
interface ToIntFunction<T> { int applyAsInt(T t); }
interface ToLongFunction<T> { long applyAsLong(T t); }
interface ToDoubleFunction<T> { double applyAsDouble(T t); }
interface IntFunction<R> { R apply(int i); }
interface Runnable { void run(); }
interface Callable<V> { V call(); }
interface Comparator<T> { int compare(T a, T b); default Comparator<T> reversed() {}
  default Comparator<T> thenComparing(Comparator<? super T> c) {} }
interface Future<V> { V get(); V get(long n, TimeUnit u); boolean cancel(boolean b); }
interface ExecutorService { <T> Future<T> submit(Callable<T> c); Future<?> submit(Runnable r); }
class ThreadLocal<T> { T get(); void set(T t); void remove();
  static <S> ThreadLocal<S> withInitial(Supplier<? extends S> s); }
class Reference<T> { T get(); void clear(); }
class WeakReference<T> extends Reference<T> {}
class SoftReference<T> extends Reference<T> {}
class AtomicReference<V> { V get(); void set(V v); V getAndSet(V v);
  boolean compareAndSet(V a, V b);
  V updateAndGet(UnaryOperator<V> f); }
class AtomicInteger extends Number { int get(); int incrementAndGet(); int getAndIncrement(); }
class AtomicLong extends Number { long get(); long incrementAndGet(); }
class Throwable implements Serializable { String getMessage(); Throwable getCause();
  StackTraceElement[] getStackTrace(); }
class Exception extends Throwable {}
class Error extends Throwable {}
class RuntimeException extends Exception {}
class IOException extends Exception {}
class IllegalArgumentException extends RuntimeException {}
class IllegalStateException extends RuntimeException {}
class NullPointerException extends RuntimeException {}
class UnsupportedOperationException extends RuntimeException {}
class Thread implements Runnable { static Thread currentThread(); String getName(); }
class Date implements Serializable, Cloneable, Comparable<Date> { long getTime(); }
class Calendar implements Serializable, Cloneable, Comparable<Calendar> { Date getTime(); }
class GregorianCalendar extends Calendar {}
class Locale implements Serializable, Cloneable {}
class TimeZone implements Serializable, Cloneable {}
class File implements Serializable, Comparable<File> { String getName(); String getPath();
  File getParentFile(); }
class InputStream implements Closeable {}
class OutputStream implements Closeable {}
class ByteArrayInputStream extends InputStream {}
class FileInputStream extends InputStream {}
class BufferedInputStream extends InputStream {}
class ByteArrayOutputStream extends OutputStream { byte[] toByteArray(); }
class Reader implements Closeable {}
class StringReader extends Reader {}
class InputStreamReader extends Reader {}
class BufferedReader extends Reader { String readLine(); }
class Writer implements Appendable, Closeable {}
class StringWriter extends Writer {}
"""
