#include <stdio.h>
#define MAX 10
#define SQ(x) ((x)*(x))
/* Doc of add. */
static inline int add(int a, int b) { return a + b; }
char **names(void) { return 0; }
int (*fp(int a))(int) { return 0; }
struct point { int x, *y; char z[3]; int (*cb)(int); };
typedef struct { int a; } anon_t, *anon_p;
typedef int (*handler)(int);
typedef unsigned long ul;
enum color { RED, GREEN = 2 };
union u { int i; };
int global = 1, *gp, arr[3];
extern int ext;
int proto(int a);
struct point origin = {0};
