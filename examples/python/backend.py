"""A plug-in's back end in Python's standard library alone. docs/wire.md explains it, and says what it leaves out.

TRUST=https://acme.example.com=https://keys.example.com/certificate/ python3 backend.py
"""
import base64, hashlib, hmac, json, os, re, threading, time, urllib.parse, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ISSUER, KEYS = os.environ["TRUST"].split("=")  # one issuer's origin, and the place of its keys: ends in a slash
MANIFEST = open(os.path.join(os.path.dirname(__file__), "manifest.json"), "rb").read()
LEEWAY, LIMIT, EVENTS = 300, 65_536, ("install", "access_token", "uninstall")
SHA512_PREFIX = bytes.fromhex("3051300d060960864801650304020305000440")  # RFC 8017, 9.2
tokens, done, turn = {}, set(), threading.Lock()  # a real back end stores them before it answers 201


class Refused(Exception):
    """Its arguments are the answer: a code and an English message."""


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


client = urllib.request.build_opener(NoRedirect, urllib.request.ProxyHandler({}))


def fetch_json(url, method="GET", headers={}):
    with client.open(urllib.request.Request(url, None, headers, method=method), timeout=5) as answer:
        text = answer.read(LIMIT + 1)
    return json.loads(text) if len(text) <= LIMIT else refuse(400, "The answer is too long")


def refuse(code, message):
    raise Refused(code, message)


def decode(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def origin_of(url):
    return "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(url))


def is_key_location(jku):
    url = urllib.parse.urlsplit(jku)
    plain = re.fullmatch(r"[\w.~/-]+", url.path, re.ASCII) and not re.search(r"/\.{0,2}(/|$)", url.path)
    return bool(plain) and jku == origin_of(KEYS) + url.path and jku.startswith(KEYS)


def is_signed(signed, signature, key):
    n, mark = (int.from_bytes(data, "big") for data in (decode(key["n"]), signature))
    size = (n.bit_length() + 7) // 8
    is_usable = (key["kty"], key["alg"], key["e"]) == ("RSA", "RS512", "AQAB") and 2048 <= n.bit_length() <= 8192
    if not is_usable or len(signature) != size or mark >= n:
        return False
    info = SHA512_PREFIX + hashlib.sha512(signed).digest()
    expected = b"\x00\x01" + b"\xff" * (size - len(info) - 3) + b"\x00" + info
    return hmac.compare_digest(pow(mark, 65537, n).to_bytes(size, "big"), expected)


def verify(jwt, event):
    if len(jwt) > 16_384 or not re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+", jwt, re.ASCII):
        refuse(401, "The event is no JWT")
    header, claims, signature = (decode(part) for part in jwt.split("."))
    header, claims = json.loads(header), json.loads(claims)
    if header.get("alg") != "RS512" or not set(header) <= {"alg", "typ", "jku", "kid"}:
        refuse(401, "The header is not allowed")
    if origin_of(claims["iss"]) != ISSUER or not is_key_location(header["jku"]):
        refuse(401, "The issuer is not trusted with this key location")
    if not is_signed(jwt.rpartition(".")[0].encode(), signature, fetch_json(header["jku"])["key"]):
        refuse(401, "The signature is wrong")
    if claims["sub"] != event or "aud" in claims or not claims["iat"] - LEEWAY <= time.time() < claims["exp"] + LEEWAY:
        refuse(401, "The event is for another path, or not of this time")
    return claims


def join(base_url, path):
    if origin_of(base_url) != ISSUER or "?" in base_url or "#" in base_url:
        refuse(400, "base_url is not allowed")
    if not re.fullmatch(r"/?[\w.~-]+(/[\w.~-]+)*", path, re.ASCII) or {".", ".."} & set(path.split("/")):
        refuse(400, "The path is not relative to base_url")
    return base_url.rstrip("/") + "/" + path.lstrip("/")


def exchange(claims):
    access = claims["client"]
    query = urllib.parse.urlencode({"grant_type": "authorization_code", "code": access["authorization_code"]})
    basic = base64.b64encode(f"{access['client_id']}:{access['client_secret']}".encode()).decode()
    url = join(claims["base_url"], access["token_endpoint_url"])
    answer = fetch_json(f"{url}?{query}", "POST", {"Authorization": f"Basic {basic}"})
    if "plugin:notify" not in answer.get("scope", "plugin:notify").split():
        refuse(402, "An essential scope was not granted")
    return answer


def apply(event, claims):
    installation = (claims["iss"], claims["tenantId"].lower(), claims["pluginId"].lower())
    with turn:  # one event at a time: a second delivery waits for the first, and repeats its result
        if event == "uninstall":
            tokens.pop(installation, None)
        if event == "access_token":
            code = (*installation, hashlib.sha256(claims["client"]["authorization_code"].encode()).digest())
            if code not in done:
                tokens[installation] = exchange(claims)
                done.add(code)


class BackEnd(BaseHTTPRequestHandler):
    timeout = 10

    def do_GET(self):
        self.answer(200, MANIFEST)

    def do_POST(self):
        try:
            event, size = self.path.removeprefix("/lifecycle/"), int(self.headers["Content-Length"])
            if event not in EVENTS or not 0 < size <= LIMIT:
                refuse(400, "Unknown event, or a body that is too long")
            kind, text = self.headers.get_content_type(), self.rfile.read(size).decode()
            readers = {"application/jwt": lambda jwt: {"token": jwt}, "application/json": json.loads}
            read = readers.get(kind, lambda form: dict(urllib.parse.parse_qsl(form)))
            apply(event, verify(read(text)["token"], event))
            self.answer(201, b"{}")
        except Exception as error:  # the text of any other error may hold a secret
            code, message = error.args if isinstance(error, Refused) else (400, "The event could not be processed")
            self.answer(400, json.dumps({"code": code, "message": message}).encode())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), BackEnd)
    print(server.server_port, flush=True)
    server.serve_forever()
