package io.kubemirror.model;

import module java.base;

/**
 * A resource version: a decimal number of up to 100 digits without a leading zero
 * (list-watch.md#conventions, KEP-5504).
 *
 * <p>It stays text because it is compared and passed on far more often than it is used in
 * arithmetic. Rejected: {@code long}, which the API conventions forbid (128 bits must work), and
 * {@link BigInteger}, which costs a parse for every object and a print for every frame.
 *
 * @param digits the decimal digits, {@code "0"} or without a leading zero
 */
public record Revision(String digits) implements Comparable<Revision> {

    /** Maximum number of digits; 128 bits have 39. */
    private static final int MAX_DIGITS = 100;

    /** The revision before every other; as a request it means "any". */
    public static final Revision ZERO = new Revision("0");

    /**
     * Validates the digits.
     *
     * @throws IllegalArgumentException if they are not a decimal number without a leading zero
     */
    public Revision {
        if (!isDecimal(digits)) {
            throw new IllegalArgumentException("not a resource version: '" + digits + "'");
        }
    }

    /**
     * Returns whether the text is a decimal number of at most 100 digits without a leading zero.
     */
    public static boolean isDecimal(String text) {
        if (text.isEmpty()
                || text.length() > MAX_DIGITS
                || (text.length() > 1 && text.charAt(0) == '0')) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    /** Returns whether this is revision 0. */
    public boolean isZero() {
        return digits.equals("0");
    }

    /** Returns whether this revision is later than the other. */
    public boolean isAfter(Revision other) {
        return compareTo(other) > 0;
    }

    /** Returns whether this revision is earlier than the other. */
    public boolean isBefore(Revision other) {
        return compareTo(other) < 0;
    }

    /** Returns the later of two revisions. */
    public static Revision later(Revision one, Revision other) {
        return one.isAfter(other) ? one : other;
    }

    /** Returns this revision plus one. */
    public Revision next() {
        return new Revision(new BigInteger(digits).add(BigInteger.ONE).toString());
    }

    /** Returns this revision minus one. @throws IllegalArgumentException if this is revision 0 */
    public Revision previous() {
        return new Revision(new BigInteger(digits).subtract(BigInteger.ONE).toString());
    }

    /** Compares by length, then by digits, which is the numerical order. */
    @Override
    public int compareTo(Revision other) {
        int byLength = Integer.compare(digits.length(), other.digits.length());
        return byLength != 0 ? byLength : digits.compareTo(other.digits);
    }

    @Override
    public String toString() {
        return digits;
    }
}
