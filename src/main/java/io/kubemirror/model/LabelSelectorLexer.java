package io.kubemirror.model;

/**
 * Cuts a label selector into tokens.
 *
 * <p>Everything that has a meaning is ASCII, so {@code char}s serve as well as the API server's
 * bytes. A zero character behaves as it does there: it ends the token before it, and the whole
 * selector if there is none.
 */
final class LabelSelectorLexer {

    private final String text;
    private int position;

    LabelSelectorLexer(String text) {
        this.text = text;
    }

    /**
     * A token.
     *
     * @param kind what it is
     * @param text its characters, empty at the end
     */
    record Token(Kind kind, String text) {

        /** Whether it can be a key or a value; the operators made of letters can. */
        boolean isIdentifier() {
            return kind == Kind.WORD || kind == Kind.IN || kind == Kind.NOT_IN;
        }
    }

    /** What a token is. */
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

    /** The next token; after the last one, {@link Kind#END} again and again. */
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

    /** The next character, 0 at the end. */
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
