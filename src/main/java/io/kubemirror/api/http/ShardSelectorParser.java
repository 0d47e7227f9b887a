package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.model.GoString;
import io.kubemirror.model.ShardSelector;
import io.kubemirror.model.ShardSelector.HashRange;
import io.kubemirror.model.ShardSelector.ShardKey;

/**
 * Parses a shard selector by recursive descent: the part of the Common Expression Language (CEL)
 * that a valid one can have (list-watch.md#sh-5 to #sh-7).
 *
 * <p>Mistakes have the API server's messages, except for those of the language itself. Escapes in
 * strings are not supported, as nothing that may be in them needs one. Rejected: a library for CEL,
 * of which only one operator and one function are allowed.
 */
public final class ShardSelectorParser {

    private static final Pattern TOKEN =
            Pattern.compile(
                    "\\G(?:[ \t\r\n\f]|//[^\n]*+)*+"
                            + "([A-Za-z_]\\w*+|'[^'\\\\\r\n]*+'|\"[^\"\\\\\r\n]*+\""
                            + "|-?[0-9][\\w.]*+|\\|\\||.)?",
                    Pattern.DOTALL);

    private static final Pattern OTHER_THAN_HEX = Pattern.compile("[^0-9a-f]");
    private static final int MAX_DEPTH = 200;
    private static final int DIGITS = 16;
    private static final String TWO_TO_64 = "0x10000000000000000";

    private final SelectorLexer lexer;
    private final List<HashRange> ranges = new ArrayList<>();
    private Optional<ShardKey> key = Optional.empty();

    /**
     * An operand, as far as it can be a mistake.
     *
     * @param kind the number of its kind in CEL, which the API server's messages show
     * @param text its text
     */
    private record Operand(int kind, String text) {

        static final int IDENTIFIER = 3;
        static final int LITERAL = 5;
        static final int SELECTION = 7;

        boolean isPath() {
            return kind != LITERAL;
        }
    }

    private ShardSelectorParser(String text) {
        lexer = new SelectorLexer(TOKEN, text);
    }

    /**
     * Parses a selector.
     *
     * @param text the selector, decoded; empty for everything
     * @throws Rejection if the text is malformed
     */
    public static ShardSelector parse(String text) throws Rejection {
        return text.isEmpty()
                ? ShardSelector.everything()
                : new ShardSelectorParser(text).selector();
    }

    /** Returns the selector of all ranges in the text. */
    private ShardSelector selector() throws Rejection {
        if (lexer.isAhead(SelectorLexer.END)) {
            throw invalid(
                    "empty shard selector is not allowed; omit the parameter for unfiltered lists");
        }
        alternatives(0);
        if (!lexer.isAhead(SelectorLexer.END)) {
            throw syntax(lexer.ahead());
        }
        return new ShardSelector(key.orElseThrow(), ranges);
    }

    private void expect(String token) throws Rejection {
        if (!lexer.accept(token)) {
            throw syntax(lexer.ahead());
        }
    }

    private void alternatives(int depth) throws Rejection {
        if (depth > MAX_DEPTH) {
            throw invalid("more than " + MAX_DEPTH + " parentheses");
        }
        do {
            if (lexer.accept("(")) {
                alternatives(depth + 1);
                expect(")");
            } else {
                range();
            }
        } while (lexer.accept("||"));
    }

    private void range() throws Rejection {
        Operand function = operand();
        if (!function.isPath() || !lexer.accept("(")) {
            throw invalid(
                    "unexpected expression kind %d; expected shardRange() call or || operator"
                            .formatted(function.kind()));
        }
        List<Operand> arguments = arguments();
        String name = function.text().substring(function.text().lastIndexOf('.') + 1);
        if (!name.equals("shardRange")) {
            throw invalid(
                    "unsupported function %s; only shardRange() and || are allowed"
                            .formatted(GoString.quote(name)));
        }
        if (arguments.size() != 3) {
            throw invalid("shardRange() requires exactly 3 arguments, got " + arguments.size());
        }
        ShardKey named = named(arguments.getFirst());
        addRange(bound("hexStart", arguments.get(1)), bound("hexEnd", arguments.getLast()));
        addKey(named);
    }

    /** Reads what is between parentheses. */
    private List<Operand> arguments() throws Rejection {
        List<Operand> arguments = new ArrayList<>();
        if (lexer.accept(")")) {
            return arguments;
        }
        do {
            arguments.add(operand());
        } while (lexer.accept(","));
        expect(")");
        return arguments;
    }

    /** Reads a path of names, or a literal. */
    private Operand operand() throws Rejection {
        String first = lexer.take();
        if (first.matches("(?s)['\"0-9].+|-.+|[0-9]") || first.matches("true|false|null")) {
            return new Operand(Operand.LITERAL, first);
        }
        if (!isName(first)) {
            throw syntax(first);
        }
        StringBuilder path = new StringBuilder(first);
        int kind = Operand.IDENTIFIER;
        while (lexer.accept(".")) {
            kind = Operand.SELECTION;
            String member = lexer.take();
            if (!isName(member)) {
                throw syntax(member);
            }
            path.append('.').append(member);
        }
        return new Operand(kind, path.toString());
    }

    private static boolean isName(String token) {
        return token.matches("[A-Za-z_]\\w*+");
    }

    private static ShardKey named(Operand operand) throws Rejection {
        if (!operand.isPath()) {
            throw invalid(
                    "shardRange() first argument: expected field path (e.g. object.metadata.uid),"
                            + " got expression kind "
                            + operand.kind());
        }
        for (ShardKey one : ShardKey.values()) {
            if (one.path().equals(operand.text())) {
                return one;
            }
        }
        throw invalid(
                "unsupported field path %s; supported: %s, %s"
                        .formatted(
                                GoString.quote(operand.text()),
                                ShardKey.UID.path(),
                                ShardKey.NAMESPACE.path()));
    }

    private void addKey(ShardKey named) throws Rejection {
        ShardKey before = key.orElse(named);
        if (before != named) {
            throw invalid(
                    "all shard ranges must use the same field, got %s and %s"
                            .formatted(
                                    GoString.quote(before.path()), GoString.quote(named.path())));
        }
        key = Optional.of(named);
    }

    private void addRange(String start, String end) throws Rejection {
        if (start.length() > end.length()
                || (start.length() == end.length() && start.compareTo(end) >= 0)) {
            throw invalid("shard range start %s must be less than end %s".formatted(start, end));
        }
        ranges.add(new HashRange(number(start), number(end) - 1));
    }

    /** Returns the lowest 64 bits of a bound, so that 2^64 is 0. */
    private static long number(String bound) {
        return Long.parseUnsignedLong(bound.substring(bound.length() - DIGITS), 16);
    }

    private static String bound(String name, Operand operand) throws Rejection {
        if (operand.isPath()) {
            throw invalid(
                    "%s must be a string literal (e.g. '0xff'), got expression kind %d"
                            .formatted(name, operand.kind()));
        }
        if (!operand.text().matches("(?s)['\"].*")) {
            throw invalid(name + " must be a string literal, got " + goType(operand.text()));
        }
        return checked(name, operand.text().substring(1, operand.text().length() - 1));
    }

    private static String goType(String literal) {
        if (literal.equals("null")) {
            return "structpb.NullValue";
        }
        if (literal.equals("true") || literal.equals("false")) {
            return "bool";
        }
        return literal.matches("-?[0-9]+|0x[0-9a-fA-F]+")
                ? "int64"
                : literal.toLowerCase(Locale.ROOT).endsWith("u") ? "uint64" : "float64";
    }

    private static String checked(String name, String bound) throws Rejection {
        if (!bound.startsWith("0x")) {
            throw invalid(name + " must have '0x' prefix, got " + GoString.quote(bound));
        }
        String digits = bound.substring(2);
        if (digits.isEmpty()) {
            throw invalid(name + ": hex value is required after '0x'");
        }
        if (digits.length() > DIGITS + 1) {
            throw invalid(
                    "%s: hex value too long (%d chars, max %d): %s"
                            .formatted(name, digits.length(), DIGITS + 1, GoString.quote(digits)));
        }
        Matcher other = OTHER_THAN_HEX.matcher(digits);
        if (other.find()) {
            throw invalid(
                    "%s: invalid hex character %s in %s"
                            .formatted(name, GoString.quote(other.group()), GoString.quote(bound)));
        }
        return ofSixteenDigits(name, bound);
    }

    private static String ofSixteenDigits(String name, String bound) throws Rejection {
        int missing = DIGITS + 2 - bound.length();
        if (missing < 0 && !bound.equals(TWO_TO_64)) {
            throw invalid(
                    "%s: 17-digit hex value must be '%s' (2^64), got %s"
                            .formatted(name, TWO_TO_64, GoString.quote(bound)));
        }
        if (missing > 0) {
            throw invalid(
                    "%s must be a 0x-prefixed 16-digit hex value, got %s (did you mean \"0x%s\"?)"
                            .formatted(
                                    name,
                                    GoString.quote(bound),
                                    "0".repeat(missing) + bound.substring(2)));
        }
        return bound;
    }

    private static Rejection syntax(String found) {
        return invalid(
                "CEL parse error: only shardRange() and || are allowed, found "
                        + (found.equals(SelectorLexer.END) ? "the end" : GoString.quote(found)));
    }

    private static Rejection invalid(String why) {
        return Rejection.badRequest("invalid shard selector: " + why);
    }
}
