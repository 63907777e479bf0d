"""Two workers fetch every sample over HTTP from a server that takes its time.

The server is another process on this machine, so that nothing outside is
needed; a sample waits 16 ms for it and costs little CPU.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import http.client
import subprocess

import torch
from truth import Truth
from work import steps, train_epoch, training, workers

BATCH = 8
SERVER = """
import http.server, time

class Slow(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections stay
    wbufsize = -1  # one packet an answer

    def do_GET(self):
        time.sleep(0.016)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"42")

    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
print(server.server_port, flush=True)
server.serve_forever()
"""


class Remote(torch.utils.data.Dataset):
    def __init__(self, port):
        self.port, self.connection = port, None

    def __len__(self):
        return BATCH * steps(120)

    def __getitem__(self, index):
        if self.connection is None:  # one for each worker
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port)
        self.connection.request("GET", f"/{index}")
        value = float(self.connection.getresponse().read())
        return torch.full((16,), value / 1000), torch.ones(1)


if __name__ == "__main__":
    truth = Truth()
    # -I: somebody else's process, and nothing looks into it.
    server = subprocess.Popen([sys.executable, "-I", "-c", SERVER], stdout=subprocess.PIPE)
    try:
        model, loss_of, optimizer = training(0.003, 0.006)
        loader = torch.utils.data.DataLoader(
            Remote(int(server.stdout.readline())), batch_size=BATCH, num_workers=workers(2)
        )
        train_epoch(truth, truth.draws(loader), model, loss_of, optimizer)
    finally:
        server.kill()
        server.wait()
    truth.finish()
