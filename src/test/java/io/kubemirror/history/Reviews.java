package io.kubemirror.history;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import module java.base;

import io.kubemirror.testing.JsonTrees;

import tools.jackson.databind.node.ObjectNode;

/** Answers who clients are, and what they are permitted, in place of an API server. */
final class Reviews {

    private static final Pattern REQUEST =
            Pattern.compile("POST /apis/[a-z.0-9]+/v1/(tokenreviews|subjectaccessreviews)[ ?]");
    private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: *(\\d+)");
    private static final String HEAD_END = "\r\n\r\n";

    private Reviews() {}

    /** Whether a request begins here that is to be answered. */
    static boolean isReview(byte[] bytes, int size) {
        return REQUEST.matcher(new String(bytes, 0, size, ISO_8859_1)).lookingAt();
    }

    /** Reads the rest of a request, and returns the answer. */
    static byte[] answer(byte[] bytes, int size, InputStream in, Permissions permissions)
            throws IOException {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.write(bytes, 0, size);
        while (!isComplete(request.toString(ISO_8859_1))) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the request is incomplete");
            }
            request.write(next);
        }
        String text = request.toString(ISO_8859_1);
        ObjectNode review = JsonTrees.parse(text.substring(text.indexOf(HEAD_END)));
        var spec = review.path("spec");
        ObjectNode status = review.putObject("status");
        if (spec.has("token")) {
            identify(spec.path("token").asString(), status);
        } else {
            var wanted = spec.path("resourceAttributes");
            status.put(
                    "allowed",
                    permissions.permits(
                            spec.path("user").asString(""),
                            wanted.path("verb").asString(""),
                            wanted.path("namespace").asString("")));
        }
        String body = JsonTrees.text(review);
        return """
        HTTP/1.1 201 Created\r
        Content-Type: application/json\r
        Content-Length: %d\r
        \r
        %s\
        """
                .formatted(body.getBytes(ISO_8859_1).length, body)
                .getBytes(ISO_8859_1);
    }

    private static void identify(String token, ObjectNode status) {
        Optional<String> user =
                Stream.of(Identity.values())
                        .filter(one -> one.token().equals(token))
                        .map(Identity::name)
                        .findFirst();
        status.put("authenticated", user.isPresent());
        user.ifPresent(name -> status.putObject("user").put("username", name).put("uid", name));
    }

    private static boolean isComplete(String request) {
        int head = request.indexOf(HEAD_END);
        Matcher length = LENGTH.matcher(request);
        return head >= 0
                && length.find()
                && request.length() >= head + HEAD_END.length() + Integer.parseInt(length.group(1));
    }
}
