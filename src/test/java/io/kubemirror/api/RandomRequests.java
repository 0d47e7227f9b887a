package io.kubemirror.api;

import module java.base;

import io.kubemirror.testing.TestFiles;

/** Random requests that are almost valid. */
final class RandomRequests {

    private static final List<String> METHODS =
            words("HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT get FOO G\u00c9T");

    private static final List<String> PATHS =
            words(
                    """
                    /api /apis /api/v1 /apis/apps /apis/apps/v1 /version /error / /index.html *
                    /api/v1/pods /api/v1/namespaces/a/pods /api/v1/namespaces/a/pods/x
                    /api/v1/watch/pods /api/v1/watch/namespaces/a/pods/x
                    /api/v1/nodes /apis/batch/v1/jobs
                    """);

    private static final List<String> SEGMENTS =
            words(
                    """
                    api apis v1 pods nodes namespaces a x watch apps status log livez readyz;
                    . .. %2e%2e %2F %5c.. %zz % %00 %c3%28 %25 ;v=1 ;% ;%zz x;y
                    \\ \u00e9 \u0007 * [ | ^ # ? @ ://
                    """,
                    "x".repeat(300));

    private static final List<String> PARAMETERS =
            words(
                    """
                    watch limit continue resourceVersion resourceVersionMatch labelSelector
                    fieldSelector timeoutSeconds timeout export allowWatchBookmarks
                    sendInitialEvents pretty shardSelector as includeObject WATCH %zz x;y
                    """);

    private static final List<String> VALUES =
            words(
                    """
                    0 1 -1 00 +1 1e3 0x1 1.5 9223372036854775807 9223372036854775808
                    18446744073709551616 99999999999999999999999999
                    true false x 110 111 Exact NotOlderThan exact
                    app%3Dv app+in+(v,w) app+in+( !app app>1 app>x a,,b a%3D%3D%3Db
                    metadata.name%3Dx metadata.name%3D%3D spec.nodeName!%3Dy
                    metadata.namespace%3Db nope%3D1
                    1ms 5s -3s 1y 9999999h zz %zz % %00 %ff%fe a;b %E2%80%A8
                    eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTEwLCJzdGFydCI6Ii9hL3hcdTAwMDAifQ
                    eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiL2EvLi4ifQ
                    e30 bnVsbA W10
                    """,
                    "x".repeat(5_000), "(".repeat(2_000));

    private static final List<String> HEADERS = TestFiles.lines("api/random-headers.txt");

    private static final List<String> VERSIONS =
            List.of("HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "HTTP/1.2", "HTP/1.1", "http/1.1", "");

    private final Random random;

    /** The words of a text, further ones, and none. */
    private static List<String> words(String text, String... further) {
        return Stream.of(text.strip().split("\\s+"), further, new String[] {""})
                .flatMap(Stream::of)
                .toList();
    }

    RandomRequests(long seed) {
        this.random = new Random(seed);
    }

    /** A request, as it goes over the wire. */
    byte[] next() {
        StringBuilder request = new StringBuilder();
        request.append(chance(80) ? "GET" : one(METHODS)).append(' ').append(target()).append(' ');
        request.append(chance(95) ? "HTTP/1.1" : one(VERSIONS)).append("\r\n");
        if (chance(97)) {
            request.append("Host: localhost\r\n");
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            request.append(one(HEADERS)).append("\r\n");
        }
        byte[] bytes = request.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
        return chance(85) ? bytes : damaged(bytes);
    }

    private String target() {
        StringBuilder target = new StringBuilder(one(PATHS));
        for (int i = chance(60) ? 0 : random.nextInt(6); i > 0; i--) {
            target.append('/').append(one(SEGMENTS));
        }
        List<String> pairs = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            pairs.add(one(PARAMETERS) + (chance(90) ? "=" + one(VALUES) : ""));
        }
        return pairs.isEmpty() ? target.toString() : target + "?" + String.join("&", pairs);
    }

    /** A few bytes are others, or one more, or the end is missing, or there are two requests. */
    private byte[] damaged(byte[] request) {
        StringBuilder damaged = new StringBuilder(new String(request, StandardCharsets.ISO_8859_1));
        for (int i = random.nextInt(4); i >= 0; i--) {
            int at = random.nextInt(damaged.length());
            char other = (char) random.nextInt(256);
            switch (random.nextInt(3)) {
                case 0 -> damaged.setCharAt(at, other);
                case 1 -> damaged.insert(at, other);
                default -> damaged.deleteCharAt(at);
            }
        }
        if (chance(10)) {
            damaged.insert(random.nextInt(damaged.length()), "\r\n\r\n");
        }
        if (chance(10)) {
            damaged.setLength(random.nextInt(damaged.length()) + 1);
        }
        return damaged.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }
}
