package io.kubemirror.api;

import module java.base;

import io.kubemirror.testing.TestFiles;

/** Random requests that are almost valid. */
final class RandomRequests {

    private static final List<String> METHODS = words("methods");
    private static final List<String> PATHS = words("paths");
    private static final List<String> SEGMENTS = words("segments", "x".repeat(300));
    private static final List<String> PARAMETERS = words("parameters");
    private static final List<String> VALUES =
            words("values", "x".repeat(5_000), "(".repeat(2_000));
    private static final List<String> HEADERS = TestFiles.lines("api/random-headers.txt");

    private static final List<String> VERSIONS =
            List.of("HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "HTTP/1.2", "HTP/1.1", "http/1.1", "");

    private final Random random;

    /** The words of a kind, further ones, and none. */
    private static List<String> words(String kind, String... further) {
        Stream<String> words =
                TestFiles.lines("api/random-words.txt").stream()
                        .filter(line -> line.startsWith(kind + " "))
                        .map(line -> line.substring(kind.length() + 1));
        return Stream.of(words, Stream.of(further), Stream.of(""))
                .flatMap(Function.identity())
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
