# SPDX-License-Identifier: Apache-2.0
"""The bytes of text files: read, decompressed, and made UTF-8."""

import codecs
import os

from windrow.tables.errors import TableError, place
from windrow.tables.files import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from windrow.tables.settings import Settings
    from windrow.tables.stretch import Stretch

_CHUNK = 1 << 20
_PIECE = 16 << 20
_HEAD = 1 << 10  # bytes that tell the byte order

_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_BINARY = ((b"PAR1", "Parquet", "parquet"), (b"ARROW1", "Arrow", "arrow"))
MAGIC_BYTES = max(map(len, _MAGIC))

# Windows-1252 as browsers read it: its five unused bytes stand for themselves.
_CP1252 = "".join(
    bytes([byte]).decode("cp1252") if byte not in b"\x81\x8d\x8f\x90\x9d" else chr(byte)
    for byte in range(256)
)

_BOMS = {
    "utf-16": ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")),
    "utf-32": ((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be")),
}
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read(stretch: "Stretch", settings: "Settings") -> bytes:
    """The bytes of a stretch, decompressed. Raises TableError, and OSError when a file is gone."""
    if stretch.length == 0 and stretch.offset == 0:
        kind = _compression(stretch.path)
        if kind:
            return _decompressed(stretch.path, kind, -1)[0]
    descriptor = os.open(stretch.path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        length = stretch.length
        if length == 0:
            length = max(0, os.fstat(descriptor).st_size - stretch.offset)
        data = _pread(descriptor, length, stretch.offset)
        ends = data.endswith(b"\n") or settings.encoding in _BOMS
        if not ends and os.fstat(descriptor).st_size > stretch.offset + length:
            changed(stretch.path)  # no record ends here
    finally:
        os.close(descriptor)
    if stretch.offset == 0:
        _check_text(data, stretch.path)
    if len(data) != length:
        raise TableError(
            f"{stretch.path}: the file is shorter than it was when the job began; input must not"
            " change while a job runs"
        )
    return data


def _pread(descriptor: int, length: int, offset: int) -> bytes:
    """One call gives at most 2 GB."""
    data = os.pread(descriptor, length, offset)
    if len(data) == length or not data:
        return data
    parts = [data]
    got = len(data)
    while got < length:
        data = os.pread(descriptor, length - got, offset + got)
        if not data:
            break
        parts.append(data)
        got += len(data)
    return b"".join(parts)


def prefix(path: str, size: int) -> "tuple[bytes, bool]":
    """The first `size` bytes, and whether they are all there are."""
    kind = _compression(path)
    if kind:
        return _decompressed(path, kind, size)
    with open(path, "rb") as file:
        data = file.read(size)
        _check_text(data, path)
        return data, len(data) < size or not file.read(1)


def _check_text(data: bytes, path: str) -> None:
    """Raises TableError for the beginning of a file that is one of Parquet or Arrow, whatever it is
    called. A column may be called PAR1, but no text has zeros behind that."""
    for magic, name, form in _BINARY:
        if data.startswith(magic) and b"\0" in data[:_HEAD]:
            raise TableError(f"{path}: a file of {name}; --set table.format={form} reads it")


def _compression(path: str) -> str:
    with open(path, "rb") as file:
        return compression_of(file.read(MAGIC_BYTES))


def compression_of(start: bytes) -> str:
    """What a file that begins so is compressed with; "": nothing."""
    for magic, kind in _MAGIC.items():
        if start.startswith(magic):
            return kind
    return ""


def _decompressed(path: str, kind: str, size: int) -> "tuple[bytes, bool]":
    """`size` -1: everything."""
    try:
        with _open(path, kind) as file:
            data = bytes(file.read(size)) if size >= 0 else bytes(file.read())
            return data, size < 0 or not file.read(1)
    except EOFError:
        reason = "it ends in the middle"
    except MemoryError:
        raise
    except Exception as error:  # each of the libraries has errors of its own
        if isinstance(error, (FileNotFoundError, PermissionError, TableError)):
            raise
        reason = str(error)
    raise TableError(f"{path}: cannot be decompressed ({kind}): {reason}; is it complete?")


def _open(path: str, kind: str) -> "Any":
    if kind == "gzip":
        import gzip

        return gzip.open(path, "rb")
    if kind == "bz2":
        import bz2

        return bz2.open(path, "rb")
    if kind == "xz":
        import lzma

        return lzma.open(path, "rb")
    return _open_zstd(path)


def _open_zstd(path: str) -> "Any":
    try:
        import zstandard  # type: ignore[import-not-found,unused-ignore]

        return zstandard.open(path, "rb")
    except ImportError:
        pass
    try:
        import pyarrow

        return pyarrow.input_stream(path, compression="zstd")
    except ImportError:
        raise TableError(
            f"{path}: compressed with zstd; the environment needs `zstandard` or `pyarrow`"
        ) from None


def whole_lines(path: str, begin: int, end: "int | None", settings: "Settings") -> int:
    """How many bytes to read next so that no record is cut: some megabytes. -1: the whole file,
    which is compressed or in an encoding of more than one byte. 0: nothing is left."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        end = size if end is None else min(end, size)
        if begin >= end:
            return 0
        if begin == 0 and end == size and _compression(path):
            return -1
        if end - begin <= _PIECE or settings.encoding in _BOMS:
            return end - begin
        file.seek(begin)
        data = file.read(_PIECE)
    quote = settings.quote.encode()
    stop = data.rfind(b"\n") + 1
    if settings.multi_line and quote:
        while stop > 0 and data.count(quote, 0, stop) % 2:
            stop = data.rfind(b"\n", 0, stop - 1) + 1
    return stop or end - begin


def utf8(data: bytes, path: str, offset: int, encoding: str) -> bytes:
    """The same text in UTF-8, without a byte order mark. UTF-8 itself is not checked here."""
    if encoding == "utf-8":
        return data[3:] if offset == 0 and data.startswith(codecs.BOM_UTF8) else data
    if encoding == "cp1252":
        return codecs.charmap_decode(data, "strict", _CP1252)[0].encode("utf-8")
    name, mark = _byte_order(data if offset == 0 else prefix(path, _HEAD)[0], encoding)
    try:
        return data[mark if offset == 0 else 0 :].decode(name).encode("utf-8")
    except UnicodeError as error:
        raise TableError(f"{path}: not {encoding}: {error}; set another encoding") from None


def _byte_order(start: bytes, encoding: str) -> "tuple[str, int]":
    """The codec and the length of the mark. Without one the zero bytes of delimiters, line ends and
    other ASCII characters tell it."""
    for mark, name in _BOMS[encoding]:
        if start.startswith(mark):
            return name, len(mark)
    width, start = int(encoding[-2:]) // 8, start[:_HEAD]
    first, last = start[::width].count(0), start[width - 1 :: width].count(0)
    return encoding + ("-be" if first > last else "-le"), 0


def decoded(data: bytes, path: str, lines_before: int) -> str:
    """UTF-8 as text. Raises TableError naming the line."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = lines_before + data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        wide = lines_before == 0 and data[:2] in _UTF16_MARKS
        likely = "utf16, by the first bytes" if wide else "latin1 or windows1252"
        raise TableError(
            f"{place(path, line)}: byte {byte:#04x} is not UTF-8; set encoding, for example to"
            f" {likely}"
        ) from None


def first_text(data: bytes, path: str) -> str:
    """The beginning of a file as text, with halves of surrogate pairs for bytes that are not UTF-8:
    a row that has some can be told. Raises TableError for a file that is in UTF-16."""
    if data[:2] in _UTF16_MARKS:
        return decoded(data, path, 0)
    return data.decode("utf-8", "surrogateescape")


def lines_before(path: str, offset: int) -> int:
    """How many lines end before a byte; for messages only."""
    count = 0
    with open(path, "rb") as file:
        while offset > 0:
            chunk = file.read(min(_CHUNK, offset))
            if not chunk:
                break
            count += chunk.count(b"\n")
            offset -= len(chunk)
    return count
