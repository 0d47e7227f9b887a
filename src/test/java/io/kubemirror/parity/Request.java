package io.kubemirror.parity;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A request as it goes over the wire.
 *
 * @param method the method
 * @param target the path with its query, exactly as sent
 * @param headers the header lines beside {@code Host}
 */
record Request(String method, String target, List<String> headers) {

    Request {
        headers = List.copyOf(headers);
    }

    static Request get(String target) {
        return new Request("GET", target, List.of());
    }

    /** The same with a header line more, such as {@code Accept: application/json}. */
    Request with(String header) {
        List<String> more = new ArrayList<>(headers);
        more.add(header);
        return new Request(method, target, more);
    }

    /** The same with places in the target filled. */
    Request filled(UnaryOperator<String> filling) {
        return new Request(method, filling.apply(target), headers);
    }

    /** The request in one line. */
    String text() {
        String line = method.equals("GET") ? target : method + " " + target;
        return headers.isEmpty() ? line : line + " with " + String.join("; ", headers);
    }
}
