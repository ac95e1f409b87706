"""What the editor sends, read in bounded pieces: no length that a header states is believed past the bound."""

from typing import BinaryIO

from dsl.inside import Unreadable, size
from dsl.limits import MESSAGE


class Asks:
    """A stream of messages; one that is longer than is read ends the service, with the reason."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream

    def readline(self) -> bytes:
        """One line of a header."""
        return self._bounded(self.stream.readline(MESSAGE + 1))

    def read(self, length: int) -> bytes:
        """The body of a message."""
        if length > MESSAGE:
            raise Unreadable(f"is longer than {size(MESSAGE)}")
        return self.stream.read(length)

    def close(self) -> None:
        """Ends with the stream."""
        self.stream.close()

    @staticmethod
    def _bounded(line: bytes) -> bytes:
        if len(line) > MESSAGE:
            raise Unreadable(f"is longer than {size(MESSAGE)}")
        return line
