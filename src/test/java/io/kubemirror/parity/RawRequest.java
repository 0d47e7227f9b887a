package io.kubemirror.parity;

import module java.base;

/**
 * A request as it is sent.
 *
 * @param method the method
 * @param target the path with its query, exactly as sent
 * @param headers the header lines beside {@code Host}
 */
record RawRequest(String method, String target, List<String> headers) {

    RawRequest {
        headers = List.copyOf(headers);
    }

    static RawRequest get(String target) {
        return new RawRequest("GET", target, List.of());
    }

    /** The same with a header line more, such as {@code Accept: application/json}. */
    RawRequest with(String header) {
        List<String> more = new ArrayList<>(headers);
        more.add(header);
        return new RawRequest(method, target, more);
    }

    /** The same with places in the target filled. */
    RawRequest filled(UnaryOperator<String> filling) {
        return new RawRequest(method, filling.apply(target), headers);
    }

    /** Whether it selects a shard. */
    boolean ofShard() {
        return target.contains("shardSelector=");
    }

    /** The request in one line. */
    String text() {
        String line = method.equals("GET") ? target : method + " " + target;
        return headers.isEmpty() ? line : line + " with " + String.join("; ", headers);
    }
}
