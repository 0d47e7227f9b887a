package io.kubemirror.app;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random bytes of a connection: requests one after the other, of which some are framed in ways that
 * two servers could read differently.
 */
final class SmuggledBytes {

    private static final String HIDDEN =
            String.join(
                    "\r\n",
                    "GET /smuggled HTTP/1.1",
                    "Host: localhost",
                    "Authorization: Bearer t-client",
                    "\r\n");

    /** Ends the connection, unless it belongs to the body of another request. */
    private static final String LAST =
            String.join(
                    "\r\n",
                    "GET /passed/last HTTP/1.1",
                    "Host: localhost",
                    "Authorization: Bearer t-client",
                    "Connection: close",
                    "\r\n");

    private static final List<String> METHODS =
            List.of("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "POST", "POST");

    private static final List<String> TARGETS =
            List.of(
                    "/passed/%d",
                    "/passed/%d?a=b",
                    "//passed/%d",
                    "/passed/../%d",
                    "/passed/%%2e%%2e/%d",
                    "/passed;x=y/%d",
                    "/passed/%%0d%%0aX:%%20y/%d",
                    "/passed/%d?x=%%0d%%0a%%0d%%0aGET%%20/smuggled",
                    "/passed/%d#fragment",
                    "http://localhost/passed/%d",
                    "http://other.example/passed/%d",
                    "/passed/%d\u00c4\u008a",
                    "/passed/%d\\x",
                    "/passed/%d{}",
                    "*");

    /** Fields that frame a body, besides the right one or in its place. */
    private static final List<String> FRAMINGS =
            List.of(
                    "Content-Length: 5",
                    "Content-Length: 0",
                    "Content-Length: 0005",
                    "Content-Length: +5",
                    "Content-Length: -5",
                    "Content-Length: 5, 5",
                    "Content-Length: 5, 6",
                    "Content-Length: 0x5",
                    "Content-Length: 5 ",
                    "Content-Length:5",
                    "Content-Length : 5",
                    "Content-Length: 5\r\nContent-Length: 5",
                    "Content-Length: 5\r\nContent-Length: 60",
                    "Content-Length: 99999999999999999999",
                    "Content-Length: 5\n",
                    "Content_Length: 60",
                    "Transfer-Encoding: chunked",
                    "Transfer-Encoding: CHUNKED",
                    "Transfer-Encoding:\tchunked",
                    "Transfer-Encoding : chunked",
                    "Transfer-Encoding: xchunked",
                    "Transfer-Encoding: \"chunked\"",
                    "Transfer-Encoding: chunked, identity",
                    "Transfer-Encoding: identity, chunked",
                    "Transfer-Encoding: gzip, chunked",
                    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
                    "Transfer-Encoding: identity",
                    "Transfer-Encoding:\r\n chunked",
                    "Transfer-Encoding: chunked\u000b",
                    "Transfer-Encoding: chunked\rX: y",
                    "X: y\nTransfer-Encoding: chunked",
                    "X: y\rTransfer-Encoding: chunked",
                    " Transfer-Encoding: chunked",
                    "Content-Length: 5\r\nTransfer-Encoding: chunked",
                    "Transfer-Encoding: chunked\r\nContent-Length: 60");

    private static final List<String> FIELDS =
            List.of(
                    "Connection: close",
                    "Connection: Content-Length",
                    "Connection: Transfer-Encoding",
                    "Connection: Authorization",
                    "Connection: Host, X-Forwarded-For",
                    "Connection: keep-alive, x\u00ff",
                    "Keep-Alive: timeout=9",
                    "Proxy-Connection: keep-alive",
                    "TE: trailers",
                    "Trailer: Content-Length",
                    "Expect: 100-continue",
                    "Upgrade: h2c",
                    "HTTP2-Settings: AAMAAABkAAQAAP__",
                    "X: y\r\n folded",
                    "X: \u00c4\u008a\u00c4\u008dGET /smuggled",
                    "X: a\u0000b",
                    "X: a\rb",
                    "X",
                    ": y",
                    "X\u00e4: y",
                    "X: " + "y".repeat(3000),
                    "Host: other.example",
                    "Content-Encoding: gzip",
                    "Content-Type: application/json",
                    "Accept-Encoding: gzip",
                    "Authorization: Bearer t-other",
                    "X-HTTP-Method-Override: DELETE",
                    "X-Original-URL: /smuggled");

    private static final List<String> BODIES =
            List.of(
                    "",
                    "hello",
                    HIDDEN,
                    "5\r\nhello\r\n0\r\n\r\n",
                    "5;a=b\r\nhello\r\n0\r\n\r\n",
                    "5;a=\"\r\n\"\r\nhello\r\n0\r\n\r\n",
                    "5;\nhello\r\n0\r\n\r\n",
                    "5\nhello\n0\n\n",
                    "5 \r\nhello\r\n0\r\n\r\n",
                    "05\r\nhello\r\n000\r\n\r\n",
                    "5\r\nhelloX\r\n0\r\n\r\n",
                    "5\r\nhello0\r\n\r\n",
                    "-5\r\nhello\r\n0\r\n\r\n",
                    "0x5\r\nhello\r\n0\r\n\r\n",
                    "100000005\r\nhello\r\n0\r\n\r\n",
                    "FFFFFFFFFFFFFFFF5\r\nhello\r\n0\r\n\r\n",
                    "5\r\nhello\r\n0\r\nX: y\r\n\r\n",
                    "5\r\nhello\r\n0\r\nContent-Length: 60\r\nHost: other\r\n\r\n",
                    "0\r\n\r\n",
                    "0\r\n",
                    "0",
                    "5\r\nhel");

    private final Random random;
    private int requests;

    SmuggledBytes(long seed) {
        random = new Random(seed);
    }

    /** All bytes of the next connection. */
    byte[] next() {
        StringBuilder bytes = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            bytes.append(request());
        }
        if (chance(10)) {
            damage(bytes);
        }
        bytes.append(LAST);
        return bytes.toString().getBytes(ISO_8859_1);
    }

    private String request() {
        String body = chance(50) ? one(BODIES) : "hello";
        List<String> fields = new ArrayList<>();
        if (chance(97)) {
            fields.add("Host: localhost");
        }
        if (chance(92)) {
            fields.add("Authorization: Bearer t-client");
        }
        if (chance(45)) {
            fields.add(one(FRAMINGS));
        } else if (chance(50)) {
            fields.add("Content-Length: " + body.length());
        } else {
            fields.add("Transfer-Encoding: chunked");
            body = Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n\r\n";
            body = body.startsWith("0") ? "0\r\n\r\n" : body;
        }
        for (int i = chance(60) ? 0 : random.nextInt(3); i > 0; i--) {
            fields.add(random.nextInt(fields.size() + 1), one(FIELDS));
        }
        String end = chance(96) ? "\r\n" : "\n";
        String line =
                one(METHODS)
                        + " "
                        + one(chance(70) ? TARGETS.subList(0, 2) : TARGETS).formatted(requests++)
                        + " HTTP/1."
                        + (chance(95) ? "1" : "0");
        String hidden = chance(15) ? HIDDEN : "";
        return line + end + String.join(end, fields) + end + end + body + hidden;
    }

    private void damage(StringBuilder bytes) {
        for (int i = random.nextInt(3); i >= 0; i--) {
            int at = random.nextInt(bytes.length());
            switch (random.nextInt(3)) {
                case 0 -> bytes.setCharAt(at, (char) random.nextInt(256));
                case 1 -> bytes.insert(at, (char) random.nextInt(256));
                default -> bytes.deleteCharAt(at);
            }
        }
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }
}
