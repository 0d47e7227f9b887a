package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.model.GoString;
import io.kubemirror.model.ShardSelector;
import io.kubemirror.model.ShardSelector.HashRange;
import io.kubemirror.model.ShardSelector.ShardKey;

/**
 * Parses a shard selector: ranges joined by {@code ||} (list-watch.md#sh-5 to #sh-7). Whatever else
 * the Common Expression Language has is a mistake.
 */
public final class ShardSelectorParser {

    private static final String BOUND = "(['\"])0x([0-9a-f]{16}|10000000000000000)\\%d";

    private static final Pattern RANGE =
            Pattern.compile(
                    "\\s*shardRange\\s*\\(\\s*(object\\.metadata\\.(?:uid|namespace))\\s*,\\s*"
                            + BOUND.formatted(2)
                            + "\\s*,\\s*"
                            + BOUND.formatted(4)
                            + "\\s*\\)\\s*");

    private static final String EXAMPLE =
            "only shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000'),"
                    + " object.metadata.namespace, bounds of 16 lowercase hexadecimal digits, and"
                    + " || are supported";

    private ShardSelectorParser() {}

    /**
     * Parses a selector.
     *
     * @param text the selector, decoded; empty for everything
     * @throws Rejection if the text is malformed
     */
    public static ShardSelector parse(String text) throws Rejection {
        if (text.isEmpty()) {
            return ShardSelector.everything();
        }
        List<HashRange> ranges = new ArrayList<>();
        Set<String> paths = new LinkedHashSet<>();
        for (String part : text.split("\\|\\|", -1)) {
            Matcher range = RANGE.matcher(part);
            if (!range.matches()) {
                throw invalid(EXAMPLE);
            }
            paths.add(range.group(1));
            ranges.add(
                    range(new BigInteger(range.group(3), 16), new BigInteger(range.group(5), 16)));
            if (paths.size() > 1) {
                throw invalid(
                        "all shard ranges must use the same field, got "
                                + paths.stream()
                                        .map(GoString::quote)
                                        .collect(Collectors.joining(" and ")));
            }
        }
        String path = paths.iterator().next();
        return new ShardSelector(
                path.equals(ShardKey.UID.path()) ? ShardKey.UID : ShardKey.NAMESPACE, ranges);
    }

    private static HashRange range(BigInteger start, BigInteger end) throws Rejection {
        if (start.compareTo(end) >= 0) {
            throw invalid(
                    "shard range start 0x%016x must be less than end 0x%016x"
                            .formatted(start, end));
        }
        return new HashRange(start.longValue(), end.longValue() - 1);
    }

    private static Rejection invalid(String why) {
        return Rejection.badRequest("invalid shard selector: " + why);
    }
}
