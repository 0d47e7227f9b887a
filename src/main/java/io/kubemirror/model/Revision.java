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
 * <p>Deletions of one transaction share a resource version, such as those of Events whose lease has
 * expired. In a mirror each has a part of it, which {@link #follows} compares. Other methods that
 * compare revisions, {@link #equals} included, compare the digits only.
 *
 * @param digits the decimal digits, {@code "0"} or without a leading zero
 * @param part the number of changes before it that share the digits
 */
public record Revision(String digits, int part) implements Comparable<Revision> {

    /** Maximum number of digits; 128 bits have 39. */
    private static final int MAX_DIGITS = 100;

    /** Parts from here on are changes after the revision whose own is not known. */
    private static final int UNKNOWN = 1 << 30;

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

    /** Creates a revision that no change before it shares. */
    public Revision(String digits) {
        this(digits, 0);
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

    /** Returns the later of two revisions, the first one if they are equal. */
    public static Revision later(Revision one, Revision other) {
        return other.isAfter(one) ? other : one;
    }

    /** Returns whether this revision, or part of one, is later than the other. */
    public boolean follows(Revision other) {
        return equals(other) ? part > other.part : isAfter(other);
    }

    /** Returns this revision, or the next part of it if the change before has this one, too. */
    public Revision following(Revision before) {
        return equals(before) && !follows(before) ? new Revision(digits, before.part + 1) : this;
    }

    /** Returns the revision with all parts that the server has changed at it. */
    public Revision whole() {
        return new Revision(digits, UNKNOWN);
    }

    /** Returns this revision plus one. */
    public Revision next() {
        return new Revision(new BigInteger(digits).add(BigInteger.ONE).toString());
    }

    /**
     * Returns the part before this one, or this revision minus one.
     *
     * @throws IllegalArgumentException if this is revision 0
     */
    public Revision previous() {
        return part > 0
                ? new Revision(digits, part - 1)
                : new Revision(new BigInteger(digits).subtract(BigInteger.ONE).toString());
    }

    /** Compares by length, then by digits, which is the numerical order. */
    @Override
    public int compareTo(Revision other) {
        int byLength = Integer.compare(digits.length(), other.digits.length());
        return byLength != 0 ? byLength : digits.compareTo(other.digits);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Revision that && digits.equals(that.digits);
    }

    @Override
    public int hashCode() {
        return digits.hashCode();
    }

    @Override
    public String toString() {
        return digits;
    }
}
