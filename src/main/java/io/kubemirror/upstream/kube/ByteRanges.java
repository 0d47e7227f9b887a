package io.kubemirror.upstream.kube;

import java.util.Arrays;

/**
 * The members to cut out of one object's JSON, each as the range from the start of its name to the
 * end of its value; the right comma goes with it.
 *
 * <p>Positions are counted from the start of the object. Ranges are added in the order of their
 * ends; one that contains earlier ones replaces them.
 */
final class ByteRanges {

    private int[] starts = new int[8];
    private int[] ends = new int[8];
    private int[] removed = new int[8];
    private int count;

    /** Forgets everything, for the next object. */
    void clear() {
        count = 0;
    }

    /** Adds a member. */
    void add(int start, int end) {
        while (count > 0 && starts[count - 1] >= start) {
            count--;
        }
        if (count == starts.length) {
            grow();
        }
        starts[count] = start;
        ends[count] = end;
        count++;
    }

    private void grow() {
        starts = Arrays.copyOf(starts, 2 * count);
        ends = Arrays.copyOf(ends, 2 * count);
        removed = Arrays.copyOf(removed, 2 * count);
    }

    /**
     * Cuts, moving what is kept towards the start of the same array.
     *
     * @param json holds the object at its start
     * @param end the end of the object
     * @return the end of the object after that
     */
    int apply(byte[] json, int end) {
        int read = 0;
        int written = 0;
        for (int i = 0; i < count; i++) {
            written = move(json, read, starts[i], written);
            written = withoutBlanks(json, written);
            read = ends[i];
            if (json[written - 1] == ',') {
                written--;
            } else {
                read = afterComma(json, read);
            }
            removed[i] = read - written;
        }
        return move(json, read, end, written);
    }

    private static int move(byte[] json, int from, int to, int written) {
        if (from != written) {
            System.arraycopy(json, from, json, written, to - from);
        }
        return written + to - from;
    }

    private static int withoutBlanks(byte[] json, int end) {
        int last = end;
        while (isBlank(json[last - 1])) {
            last--;
        }
        return last;
    }

    /** The comma after the first member goes with it, and so does that of each following one. */
    private static int afterComma(byte[] json, int position) {
        int next = position;
        while (isBlank(json[next])) {
            next++;
        }
        return json[next] == ',' ? next + 1 : next;
    }

    private static boolean isBlank(byte character) {
        return character == ' ' || character == '\n' || character == '\r' || character == '\t';
    }

    /** Where a position that was not cut is after {@link #apply}. */
    int moved(int position) {
        int last = count - 1;
        while (last >= 0 && ends[last] > position) {
            last--;
        }
        return last < 0 ? position : position - removed[last];
    }
}
