package io.kubemirror.app;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import module java.base;

import io.kubemirror.testing.Unchecked;

/**
 * Random bytes of a connection: requests one after the other, of which some are framed in ways that
 * two servers could read differently.
 */
final class SmuggledBytes {

    private static final Path PARTS = Path.of("src/test/resources/io/kubemirror/app/smuggled.txt");
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

    private static final List<String> TARGETS = parts("TARGETS");

    /** Fields that frame a body, besides the right one or in its place. */
    private static final List<String> FRAMINGS = parts("FRAMINGS");

    private static final List<String> FIELDS = parts("FIELDS", "X: " + "y".repeat(3000));

    private static final List<String> BODIES = parts("BODIES", "", HIDDEN);

    /** Returns the lines of a part of the file, without their escapes, and further texts. */
    private static List<String> parts(String name, String... further) {
        String file = Unchecked.call(() -> Files.readString(PARTS));
        String lines = file.split("## " + name + "\n", 2)[1].split("\n## ", 2)[0];
        return Stream.concat(Stream.of(further), lines.lines().map(String::translateEscapes))
                .toList();
    }

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
