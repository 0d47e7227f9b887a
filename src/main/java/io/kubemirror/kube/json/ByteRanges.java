package io.kubemirror.kube.json;

import module java.base;

import org.jspecify.annotations.Nullable;

/**
 * The members to cut out of the JSON of one object, each as the range from the start of its name to
 * the end of its value, and the values to replace. The comma of a member is cut too.
 *
 * <p>Positions are relative to the start of the object. Ranges are added in the order of their
 * ends; a range that contains earlier ones replaces them. The last one may be open, because the end
 * of a long text is known only with the token after it.
 */
public final class ByteRanges {

    /** Computes what takes the place of values. */
    public interface Replacement {

        /** The length of the longest replacement: 32 digits in quotes. */
        int MAX_LENGTH = 34;

        /**
         * Returns what takes the place of a value.
         *
         * @param json has the value from start to end
         * @param name the name of the member, empty for an element of an array
         */
        byte[] replacement(byte[] json, int start, int end, String name);
    }

    private int[] starts = new int[8];
    private int[] ends = new int[8];
    private int[] removed = new int[8];
    private @Nullable String[] names = new @Nullable String[8];
    private byte[] result = {};
    private int count;
    private boolean open;

    /** Removes all ranges, for the next object. */
    void clear() {
        count = 0;
        open = false;
    }

    /** Adds the range of a member to cut. */
    public void add(int start, int end) {
        add(start, end, null);
    }

    /**
     * Begins a range, in the place of one that has not ended.
     *
     * @param name the name of the member whose value is replaced, null to cut a member
     */
    public void open(int start, @Nullable String name) {
        if (open) {
            count--;
        }
        add(start, start, name);
        open = true;
    }

    /**
     * Ends the range that was begun, if there is one.
     *
     * @param next the start of the token after it
     */
    public void close(byte[] json, int next) {
        if (open) {
            int end = withoutBlanks(json, next);
            ends[count - 1] = json[end - 1] == ',' ? withoutBlanks(json, end - 1) : end;
            open = false;
        }
    }

    public boolean isOpen() {
        return open;
    }

    private void add(int start, int end, @Nullable String name) {
        while (count > 0 && starts[count - 1] >= start) {
            count--;
        }
        if (count == starts.length) {
            grow();
        }
        starts[count] = start;
        ends[count] = end;
        names[count] = name;
        count++;
    }

    private void grow() {
        starts = Arrays.copyOf(starts, 2 * count);
        ends = Arrays.copyOf(ends, 2 * count);
        removed = Arrays.copyOf(removed, 2 * count);
        names = Arrays.copyOf(names, 2 * count);
    }

    /**
     * Cuts and replaces the ranges: in the same array if all are cut, by moving the remaining bytes
     * toward its start.
     *
     * @param json contains the object at its start
     * @param end the end of the object
     * @param redactor computes replacements, null if there are none
     * @return the end of the object in the {@link #result}
     */
    public int apply(byte[] json, int end, @Nullable Replacement redactor) {
        int replaced = replaced();
        result = replaced == 0 ? json : new byte[end + Replacement.MAX_LENGTH * replaced];
        if (count == 0) {
            return end;
        }
        int read = 0;
        int written = 0;
        for (int i = 0; i < count; i++) {
            written = move(json, read, starts[i], written);
            read = ends[i];
            String name = names[i];
            if (name != null && redactor != null) {
                byte[] value = redactor.replacement(json, starts[i], ends[i], name);
                System.arraycopy(value, 0, result, written, value.length);
                written += value.length;
            } else {
                written = withoutBlanks(result, written);
                if (result[written - 1] == ',') {
                    written--;
                } else {
                    read = afterComma(json, read);
                }
            }
            removed[i] = read - written;
        }
        return move(json, read, end, written);
    }

    private int replaced() {
        int replaced = 0;
        for (int i = 0; i < count; i++) {
            replaced += names[i] == null ? 0 : 1;
        }
        return replaced;
    }

    /** Returns the array with the object after {@link #apply}. */
    public byte[] result() {
        return result;
    }

    private int move(byte[] json, int from, int to, int written) {
        System.arraycopy(json, from, result, written, to - from);
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
    public int moved(int position) {
        int last = count - 1;
        while (last >= 0 && ends[last] > position) {
            last--;
        }
        return last < 0 ? position : position - removed[last];
    }
}
