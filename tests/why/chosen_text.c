// Puts out the name of a temperature, by the way that its argument says: "warm" is expected. What was chosen was written
// by nothing in the program.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* name_of(int degrees) {
  if (degrees < 10) return "cold";
  if (degrees < 20) return "cool";  // wrong
  return "warm";
}

static void write_to(char* buffer, size_t bytes, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(buffer, bytes, format, arguments);
  va_end(arguments);
}

int main(int argc, char** argv) {
  const char* way = argv[argc - 1];
  const char* name = name_of(argc * 8);
  if (strcmp(way, "fputs") == 0) fputs(name, stdout);
  if (strcmp(way, "printf") == 0) printf("it is %s\n", name);
  if (strcmp(way, "fwrite") == 0) fwrite(name, 1, 4, stdout);
  char buffer[16];
  if (strcmp(way, "memcpy") == 0) puts(memcpy(buffer, name, 5));
  if (strcmp(way, "strcpy") == 0) puts(strcpy(buffer, name));
  if (strcmp(way, "strdup") == 0) {
    char* copy = strdup(name);
    puts(copy);
    free(copy);
  }
  if (strcmp(way, "strcat") == 0) {
    strcpy(buffer, "it is ");
    puts(strcat(buffer, name));
  }
  if (strcmp(way, "snprintf") == 0) {
    snprintf(buffer, sizeof(buffer), "it is %s", name);
    puts(buffer);
  }
  if (strcmp(way, "vsnprintf") == 0) {
    write_to(buffer, sizeof(buffer), "it is %s", name);
    puts(buffer);
  }
  if (strcmp(way, "literal") == 0) printf("it's %s\n", name);
  return 0;
}
