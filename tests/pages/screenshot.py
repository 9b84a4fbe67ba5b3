"""Pictures of pages: what a reader sees, which the document alone does not tell."""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


class Picture:
    """An uncommon PNG is refused; browsers write 8 bits a channel, RGB or RGBA, not interlaced."""

    def __init__(self, png):
        if not png.startswith(SIGNATURE):
            raise ValueError("no PNG")
        at, packed = len(SIGNATURE), b""
        while at < len(png):
            size, kind = struct.unpack(">I4s", png[at:at + 8])
            content = png[at + 8:at + 8 + size]
            if kind == b"IHDR":
                self.width, self.height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", content)
                if depth != 8 or colour not in (2, 6) or interlaced:
                    raise ValueError("an uncommon PNG")
                self._channels = 3 if colour == 2 else 4
            elif kind == b"IDAT":
                packed += content
            at += size + 12
        self._rows = self._unfiltered(zlib.decompress(packed))

    def _unfiltered(self, raw):
        step, stride = self._channels, self.width * self._channels
        rows, above = [], bytearray(stride)
        for y in range(self.height):
            start = y * (stride + 1)
            kind, row = raw[start], bytearray(raw[start + 1:start + 1 + stride])
            for x in range(stride):
                left = row[x - step] if x >= step else 0
                up = above[x]
                corner = above[x - step] if x >= step else 0
                if kind == 1:
                    row[x] = (row[x] + left) & 255
                elif kind == 2:
                    row[x] = (row[x] + up) & 255
                elif kind == 3:
                    row[x] = (row[x] + (left + up) // 2) & 255
                elif kind == 4:
                    guess = left + up - corner
                    nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
                    row[x] = (row[x] + nearest[2]) & 255
            rows.append(row)
            above = row
        return rows

    def colours(self, left, top, right, bottom):
        """How often each colour (red, green, blue) is seen in a rectangle of pixels."""
        seen = {}
        for y in range(max(top, 0), min(bottom, self.height)):
            for x in range(max(left, 0), min(right, self.width)):
                pixel = tuple(self._rows[y][x * self._channels:x * self._channels + 3])
                seen[pixel] = seen.get(pixel, 0) + 1
        return seen

    def ground(self, left, top, right, bottom):
        """The colour that most of a rectangle has."""
        seen = self.colours(left, top, right, bottom)
        return max(seen, key=seen.get)
