package io.kubemirror.parity;

import module java.base;

/**
 * The values of the placeholders in a target: <code>{now}</code> and <code>{now-1}</code> for
 * revisions, <code>{at-now:/a/x}</code> for a token that continues after a key.
 *
 * @param numbers the values of the names
 */
record TargetValues(Map<String, Long> numbers) {

    private static final Pattern PLACE =
            Pattern.compile("\\{(?:at-)?(\\w+)([-+]\\d+)?(?::([^}]*))?}");

    TargetValues {
        numbers = Map.copyOf(numbers);
    }

    /**
     * Replaces the placeholders.
     *
     * @param answered the answer before, whose token is {@code {token}}
     */
    String fill(String target, String answered) {
        return PLACE.matcher(target)
                .replaceAll(
                        place ->
                                place.group(1).equals("token")
                                        ? tokenIn(answered)
                                        : numberOrToken(place));
    }

    private String numberOrToken(MatchResult place) {
        long offset = place.group(2) == null ? 0 : Long.parseLong(place.group(2));
        long number = numbers.getOrDefault(place.group(1), 0L) + offset;
        return place.group(3) == null
                ? Long.toString(number)
                : token(
                        "{\"v\":\"meta.k8s.io/v1\",\"rv\":%d,\"start\":\"%s\\u0000\"}"
                                .formatted(number, place.group(3)));
    }

    private static String tokenIn(String answer) {
        return Equality.tokenIn(answer).orElse("none");
    }

    /** Returns a token with this content. */
    static String token(String json) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }
}
