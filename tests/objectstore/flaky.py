"""A bad network: a proxy that drops connections and answers "busy"."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from itertools import count

BUSY = b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
METHODS = (b"GET ", b"HEAD ", b"PUT ", b"DELETE ", b"POST ")
#: A connection that works is cut at the request after so many: so half of all requests fail.
MOST = 3


class Flaky:
    """A proxy: of three connections one is dropped, one "busy", one works a while."""

    def __init__(self, port: int) -> None:
        """Stand before the server at `port`."""
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.dropped = self.busy = self.cut = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self._listener.close()

    def _serve(self) -> None:
        for number in count():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._treat, args=(client, number), daemon=True).start()

    def _treat(self, client: socket.socket, number: int) -> None:
        with client:
            match number % 3:
                case 0:
                    client.recv(1 << 16)
                    self.dropped += 1
                case 1:
                    client.recv(1 << 16)
                    client.sendall(BUSY)
                    self.busy += 1
                case _:
                    with socket.create_connection(("127.0.0.1", self._to)) as server:
                        threading.Thread(target=_answer, args=(server, client)).start()
                        self._ask(client, server)
                        for end in (client, server):  # or the other thread waits on
                            with suppress(OSError):
                                end.shutdown(socket.SHUT_RDWR)

    def _ask(self, client: socket.socket, server: socket.socket) -> None:
        """Pass requests on, but for the one that is too many."""
        requests = 0
        with suppress(OSError):
            while asked := client.recv(1 << 16):
                requests += asked.startswith(METHODS)
                if requests > MOST:
                    self.cut += 1
                    return
                server.sendall(asked)


def _answer(server: socket.socket, client: socket.socket) -> None:
    with suppress(OSError):
        while answer := server.recv(1 << 16):
            client.sendall(answer)
