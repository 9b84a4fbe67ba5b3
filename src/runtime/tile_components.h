#pragma once

/// The bits of XSAVE's component masks for AMX tiles and their configuration. For assembler, too.
#define kTileComponents 0x60000
