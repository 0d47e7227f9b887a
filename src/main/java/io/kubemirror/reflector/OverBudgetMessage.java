package io.kubemirror.reflector;

import io.kubemirror.mirror.OverBudgetException;

import java.util.Locale;

/**
 * The message about a collection that does not fit: how much memory it needs, and possible
 * remedies.
 */
final class OverBudgetMessage {

    private static final String LESS =
            "mirror less by drop-fields, metadata-only, selectors, or namespaces";

    private OverBudgetMessage() {}

    /**
     * Returns the problem and its remedies in one line.
     *
     * @param tooLarge what did not fit
     * @param remaining the number of objects still to come, 0 if unknown
     */
    static String problem(OverBudgetException tooLarge, long remaining) {
        String sofar =
                String.format(
                        Locale.ROOT,
                        "%,d objects need %s",
                        tooLarge.objects() + 1,
                        megabytes(tooLarge.bytes()));
        return sofar + more(tooLarge, remaining) + remedy(tooLarge);
    }

    private static String more(OverBudgetException tooLarge, long remaining) {
        long all = tooLarge.objects() + remaining;
        double factor = (double) all / Math.max(1, tooLarge.objects());
        return remaining == 0
                ? " so far"
                : String.format(
                        Locale.ROOT,
                        ", and all %,d about %s",
                        all,
                        megabytes((long) (tooLarge.bytes() * factor)));
    }

    private static String remedy(OverBudgetException tooLarge) {
        return switch (tooLarge.limit()) {
            case OBJECTS ->
                    String.format(
                            Locale.ROOT,
                            ", but max-objects allows %,d; raise it, or %s",
                            tooLarge.allowed(),
                            LESS);
            case BYTES ->
                    ", but max-bytes allows "
                            + megabytes(tooLarge.allowed())
                            + "; raise it, or "
                            + LESS;
            case SHARED ->
                    ", but all mirrors together have "
                            + megabytes(tooLarge.allowed())
                            + " for objects; raise the heap (-Xmx or the container's memory) and"
                            + " kubemirror.memory.limit if it is set, or "
                            + LESS;
        };
    }

    private static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%,.1f MB", bytes / 1e6);
    }
}
