// The size of a block is computed in too few bits, and what is written goes far past its end: the library's allocator
// stops the program later.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct image {
  unsigned width, height;
  uint8_t *pixels;
};

__attribute__((noinline)) static void load(struct image *image, unsigned width, unsigned height) {
  uint16_t size = (uint16_t)(width * height);  // wraps
  image->width = width;
  image->height = height;
  image->pixels = malloc(size);  // too small
  for (unsigned y = 0; y < height; y++) {
    for (unsigned x = 0; x < width; x++) image->pixels[y * width + x] = (uint8_t)(x ^ y);  // overruns
  }
}

int main(void) {
  struct image image;
  load(&image, 300, 220);
  char *note = malloc(100);  // ends here
  strcpy(note, "done");
  printf("%s %u\n", note, image.pixels[5]);
  return 0;
}
