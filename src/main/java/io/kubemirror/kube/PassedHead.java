package io.kubemirror.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

/**
 * The head of a response of HTTP/1.1. What servers and proxies may understand in different ways is
 * malformed (RFC 9112, 6.3).
 *
 * @param version the minor version
 * @param headers all headers, found by names in any case
 */
record PassedHead(int version, int code, Map<String, List<String>> headers) {

    /** The most of a head, in bytes: less than kubemirror may send itself. */
    static final int MAX_LENGTH = 256 * 1024;

    /** The length of a body that ends with the connection. */
    static final long UNTIL_CLOSED = -1;

    /** The length of a body in chunks. */
    static final long CHUNKED = -2;

    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.([01]) ([1-9]\\d\\d)( .*)?");

    private static final Pattern HEADER = Pattern.compile("([!#$%&'*+.^_`|~\\w-]+):(.*)");

    /** Reads a head, and drops those before it that only announce it. */
    static PassedHead read(InputStream input) throws IOException {
        LineReader lines = new LineReader(input);
        while (true) {
            PassedHead head = read(lines);
            if (head.code >= 200 || head.code == 101) {
                return head;
            }
        }
    }

    /** Reads a head, also one that only announces another, such as 100. */
    static PassedHead readAny(InputStream input) throws IOException {
        return read(new LineReader(input));
    }

    private static PassedHead read(LineReader lines) throws IOException {
        Matcher status = STATUS.matcher(lines.next());
        if (!status.matches()) {
            throw new ProtocolException("the status line is malformed");
        }
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line = lines.next(); !line.isEmpty(); line = lines.next()) {
            Matcher header = HEADER.matcher(line);
            if (!header.matches() || header.group(2).chars().anyMatch(c -> c < ' ' && c != '\t')) {
                throw new ProtocolException("a header is malformed");
            }
            headers.computeIfAbsent(header.group(1), _ -> new ArrayList<>())
                    .add(header.group(2).strip());
        }
        return new PassedHead(
                Integer.parseInt(status.group(1)), Integer.parseInt(status.group(2)), headers);
    }

    /** Reads lines that are not too long together. Bytes of a header are UTF-8. */
    static final class LineReader {

        private final InputStream input;
        private int length;

        LineReader(InputStream input) {
            this.input = input;
        }

        String next() throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream(64);
            int next = input.read();
            while (next != '\n') {
                if (next < 0) {
                    throw new EOFException("the connection was closed");
                }
                if (++length > MAX_LENGTH) {
                    throw new ProtocolException("the head of the response is too large");
                }
                line.write(next);
                next = input.read();
            }
            String text = line.toString(UTF_8);
            return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
        }
    }

    /**
     * Returns the length of the body in bytes, or what tells it.
     *
     * @throws IOException if it is ambiguous
     */
    long length(String method) throws IOException {
        List<String> encodings = headers.getOrDefault("Transfer-Encoding", List.of());
        List<String> lengths =
                headers.getOrDefault("Content-Length", List.of()).stream().distinct().toList();
        boolean chunked = encodings.size() == 1 && encodings.getFirst().equalsIgnoreCase("chunked");
        boolean valid = lengths.isEmpty() || lengths.getFirst().matches("\\d{1,18}");
        if (!valid
                || lengths.size() > 1
                || (!encodings.isEmpty() && (!chunked || !lengths.isEmpty()))) {
            throw new ProtocolException("the length of the response is malformed");
        }
        if (isEmpty(method)) {
            return 0;
        }
        return chunked
                ? CHUNKED
                : lengths.isEmpty() ? UNTIL_CLOSED : Long.parseLong(lengths.getFirst());
    }

    /** Returns whether the response has no body, whatever its length is. */
    boolean isEmpty(String method) {
        return method.equals("HEAD") || code == 204 || code == 304;
    }

    /**
     * Returns whether another request may follow on the connection. Not if there is no body:
     * nothing tells whether the server sends one nevertheless.
     */
    boolean isReusable(String method) throws IOException {
        boolean closes =
                headers.getOrDefault("Connection", List.of()).stream()
                        .anyMatch(value -> value.toLowerCase(Locale.ROOT).contains("close"));
        return version == 1 && !closes && !isEmpty(method) && length(method) != UNTIL_CLOSED;
    }
}
