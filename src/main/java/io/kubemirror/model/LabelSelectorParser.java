package io.kubemirror.model;

import io.kubemirror.model.LabelSelectorParser.LabelSelectorLexer.Kind;
import io.kubemirror.model.LabelSelectorParser.LabelSelectorLexer.Token;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Parses a label selector by recursive descent, as the API server does, so that it fails at the
 * same token with the same message (list-watch.md#ls-6 to #ls-11).
 */
final class LabelSelectorParser {

    private final LabelSelectorLexer lexer;
    private Token ahead;

    private LabelSelectorParser(String text) {
        lexer = new LabelSelectorLexer(text);
        ahead = lexer.next();
    }

    /** Returns the distinct requirements of the selector. */
    static Set<Requirement> parse(String text) throws SelectorException {
        return new LabelSelectorParser(text).selector();
    }

    private Set<Requirement> selector() throws SelectorException {
        Set<Requirement> requirements = new LinkedHashSet<>();
        if (isAhead(Kind.END)) {
            return requirements;
        }
        demandRequirement(", expected: !, identifier, or 'end of string'");
        requirements.add(requirement());
        while (!isAhead(Kind.END)) {
            Token comma = take();
            if (comma.kind() != Kind.COMMA) {
                throw new SelectorException(found(comma, ", expected: ',' or 'end of string'"));
            }
            demandRequirement(", expected: identifier after ','");
            requirements.add(requirement());
        }
        return requirements;
    }

    private void demandRequirement(String expected) throws SelectorException {
        if (!ahead.isIdentifier() && !isAhead(Kind.NOT)) {
            throw new SelectorException(found(ahead, expected));
        }
    }

    private Requirement requirement() throws SelectorException {
        if (isAhead(Kind.NOT)) {
            take();
            return new Requirement.Absent(key());
        }
        String key = key();
        return isAhead(Kind.END) || isAhead(Kind.COMMA)
                ? new Requirement.Exists(key)
                : comparison(key);
    }

    private String key() throws SelectorException {
        String key = identifier();
        List<String> problems = LabelSyntax.keyProblems(key);
        if (!problems.isEmpty()) {
            throw malformed("<nil>: " + invalid(key, problems));
        }
        return key;
    }

    private Requirement comparison(String key) throws SelectorException {
        Token operator = take();
        return switch (operator.kind()) {
            case EQUAL -> new Requirement.In(key, checked(key, Set.of(value())));
            case NOT_EQUAL -> new Requirement.NotIn(key, checked(key, Set.of(value())));
            case IN -> new Requirement.In(key, checked(key, values()));
            case NOT_IN -> new Requirement.NotIn(key, checked(key, values()));
            case GREATER -> new Requirement.Above(key, bound(key, value()));
            case LESS -> new Requirement.Below(key, bound(key, value()));
            case END, WORD, NOT, COMMA, OPEN, CLOSE ->
                    throw malformed(found(operator, ", expected: in, notin, =, ==, !=, gt, lt"));
        };
    }

    /** Parses the value after an operator, which may be empty. */
    private String value() throws SelectorException {
        return isAhead(Kind.END) || isAhead(Kind.COMMA) ? "" : identifier();
    }

    /** Parses the values in parentheses. Two adjacent commas enclose the empty value. */
    private Set<String> values() throws SelectorException {
        Token open = take();
        if (open.kind() != Kind.OPEN) {
            throw malformed(found(open, " expected: '('"));
        }
        Set<String> values = new TreeSet<>(Utf8Order::compare);
        values.add(element(", expected: ',', ')' or identifier"));
        while (!isAhead(Kind.CLOSE)) {
            Token comma = take();
            if (comma.kind() != Kind.COMMA) {
                throw malformed(found(comma, ", expected: ',' or ')'"));
            }
            values.add(element(", expected: ',', or identifier"));
        }
        take();
        return values;
    }

    private String element(String expected) throws SelectorException {
        if (isAhead(Kind.COMMA) || isAhead(Kind.CLOSE)) {
            return "";
        }
        if (!ahead.isIdentifier()) {
            throw malformed(found(ahead, expected));
        }
        return take().text();
    }

    private String identifier() throws SelectorException {
        Token token = take();
        if (!token.isIdentifier()) {
            throw malformed(found(token, ", expected: identifier"));
        }
        return token.text();
    }

    private static Set<String> checked(String key, Set<String> values) throws SelectorException {
        refuse(valueProblems(key, values));
        return values;
    }

    private static long bound(String key, String value) throws SelectorException {
        List<String> problems = new ArrayList<>();
        if (!Int64.isValid(value)) {
            String why = "for 'Gt', 'Lt' operators, the value must be an integer";
            problems.add("values[0]: " + invalid(value, List.of(why)));
        }
        problems.addAll(valueProblems(key, Set.of(value)));
        refuse(problems);
        return Long.parseLong(value);
    }

    /** Returns the problems of the values, each identified by its index in their byte order. */
    private static List<String> valueProblems(String key, Set<String> values) {
        List<String> all = new ArrayList<>();
        int index = 0;
        for (String value : values) {
            List<String> problems = LabelSyntax.valueProblems(value);
            if (!problems.isEmpty()) {
                all.add("values[%d][%s]: %s".formatted(index, key, invalid(value, problems)));
            }
            index++;
        }
        return all;
    }

    private static void refuse(List<String> problems) throws SelectorException {
        if (!problems.isEmpty()) {
            String all = String.join(", ", problems);
            throw malformed(problems.size() == 1 ? all : "[" + all + "]");
        }
    }

    private static String invalid(String value, List<String> problems) {
        return "Invalid value: " + GoString.quote(value) + ": " + String.join("; ", problems);
    }

    private static String found(Token token, String expected) {
        return "found '" + token.text() + "'" + expected;
    }

    private static SelectorException malformed(String why) {
        return new SelectorException("unable to parse requirement: " + why);
    }

    private boolean isAhead(Kind kind) {
        return ahead.kind() == kind;
    }

    private Token take() {
        Token taken = ahead;
        ahead = lexer.next();
        return taken;
    }

    /**
     * Splits a label selector into tokens.
     *
     * <p>All characters with a meaning are ASCII, so {@code char}s are equivalent to the API
     * server's bytes. A zero character behaves as it does there: it ends the token before it, and
     * the whole selector if there is none.
     */
    static final class LabelSelectorLexer {

        private final String text;
        private int position;

        LabelSelectorLexer(String text) {
            this.text = text;
        }

        /**
         * A token.
         *
         * @param kind its kind
         * @param text its characters, empty at the end
         */
        record Token(Kind kind, String text) {

            /** Returns whether the token can be a key or a value; operators made of letters can. */
            boolean isIdentifier() {
                return kind == Kind.WORD || kind == Kind.IN || kind == Kind.NOT_IN;
            }
        }

        /** The kind of a token. */
        enum Kind {
            END,
            WORD,
            IN,
            NOT_IN,
            NOT,
            EQUAL,
            NOT_EQUAL,
            GREATER,
            LESS,
            COMMA,
            OPEN,
            CLOSE
        }

        /** Returns the next token, and {@link Kind#END} after the last one. */
        Token next() {
            while (isBlank(peek())) {
                position++;
            }
            if (peek() == 0) {
                return new Token(Kind.END, "");
            }
            int start = position;
            Kind kind = isSymbol(peek()) ? symbol() : word();
            Token token = new Token(kind, text.substring(start, position));
            skipZero();
            return token;
        }

        private Kind symbol() {
            char symbol = text.charAt(position++);
            boolean withEqualSign = (symbol == '=' || symbol == '!') && peek() == '=';
            if (withEqualSign) {
                position++;
            }
            return switch (symbol) {
                case '=' -> Kind.EQUAL;
                case '!' -> withEqualSign ? Kind.NOT_EQUAL : Kind.NOT;
                case '>' -> Kind.GREATER;
                case '<' -> Kind.LESS;
                case ',' -> Kind.COMMA;
                case '(' -> Kind.OPEN;
                default -> Kind.CLOSE;
            };
        }

        private Kind word() {
            int start = position;
            while (peek() != 0 && !isBlank(peek()) && !isSymbol(peek())) {
                position++;
            }
            return switch (text.substring(start, position)) {
                case "in" -> Kind.IN;
                case "notin" -> Kind.NOT_IN;
                default -> Kind.WORD;
            };
        }

        /** Returns the next character, 0 at the end. */
        private char peek() {
            return position < text.length() ? text.charAt(position) : 0;
        }

        private void skipZero() {
            if (position < text.length() && peek() == 0) {
                position++;
            }
        }

        private static boolean isBlank(char c) {
            return c == ' ' || c == '\t' || c == '\r' || c == '\n';
        }

        private static boolean isSymbol(char c) {
            return switch (c) {
                case '=', '!', '(', ')', ',', '>', '<' -> true;
                default -> false;
            };
        }
    }
}
