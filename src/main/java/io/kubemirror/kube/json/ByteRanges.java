package io.kubemirror.kube.json;

import module java.base;

/**
 * The members to cut out of the JSON of one object, each as the range from the start of its name to
 * the end of its value. The comma of a member is cut too.
 *
 * <p>Positions are relative to the start of the object. Ranges are added in the order of their
 * ends; a range that contains earlier ones replaces them.
 */
final class ByteRanges {

    private int[] starts = new int[8];
    private int[] ends = new int[8];
    private int[] removed = new int[8];
    private int count;

    /** Removes all ranges, for the next object. */
    void clear() {
        count = 0;
    }

    /** Adds the range of a member to cut. */
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
     * Cuts the ranges by moving the remaining bytes toward the start of the array.
     *
     * @param json contains the object at its start
     * @param end the end of the object
     * @return the new end of the object
     */
    int apply(byte[] json, int end) {
        int read = 0;
        int written = 0;
        for (int i = 0; i < count; i++) {
            written = move(json, read, starts[i], written);
            read = ends[i];
            written = withoutBlanks(json, written);
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
        System.arraycopy(json, from, json, written, to - from);
        return written + to - from;
    }

    private static int withoutBlanks(byte[] json, int end) {
        int last = end;
        while (isBlank(json[last - 1])) {
            last--;
        }
        return last;
    }

    /**
     * Returns the position after the comma that is cut together with the first member. Each
     * following member is handled the same way.
     */
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

    /** Returns the position after {@link #apply} of a byte that was not cut. */
    int moved(int position) {
        int last = count - 1;
        while (last >= 0 && ends[last] > position) {
            last--;
        }
        return last < 0 ? position : position - removed[last];
    }
}
