package io.kubemirror.source;

import module java.base;

import io.kubemirror.model.Revision;

/** An open watch, read by one thread. */
public interface WatchStream extends AutoCloseable {

    /** Waits for the next frame. No frame follows a {@link WatchFrame.End}. */
    WatchFrame next();

    /**
     * Closes the watch. A thread that waits in {@link #next} gets {@link WatchFrame.Broken}. May be
     * called from any thread, and repeatedly.
     */
    @Override
    void close();

    /** A watch that the server has accepted. Frames are read from the network on demand. */
    interface UpstreamWatch extends WatchStream {

        /**
         * Starts to read the watch ahead. This connection must not be read directly anymore.
         *
         * @param bound the limits of reading ahead
         */
        ReadAheadWatch ahead(ReadAheadLimits bound);

        /**
         * An open watch whose frames are read from the network before they are requested, up to a
         * limit, so that the server does not treat the client as slow (list-watch.md#pp-4). Read by
         * one thread.
         */
        interface ReadAheadWatch extends WatchStream {

            /**
             * Returns how the stream has ended, even if earlier frames have not been read yet;
             * empty while the stream is open.
             */
            Optional<WatchFrame> ending();

            /**
             * Returns the newest revision of an event or bookmark that has arrived, 0 before the
             * first.
             */
            Revision newest();

            /** Returns what has arrived and is not read yet. */
            ReadAheadLimits buffered();

            /**
             * Returns the remaining limits. When a limit is exhausted, the stream ends without
             * losing frames.
             */
            ReadAheadLimits left();

            /**
             * Ends the stream as if a limit was exhausted: nothing more arrives, and what has
             * arrived can still be read.
             */
            void stop();
        }

        /**
         * The limits of reading ahead in a watch.
         *
         * @param frames the number of frames
         * @param bytes the size of the objects in the frames
         */
        record ReadAheadLimits(int frames, long bytes) {

            /**
             * Returns the default limits of 100,000 frames and 64 MiB: the changes of some minutes
             * in a busy collection.
             */
            public static ReadAheadLimits defaults() {
                return new ReadAheadLimits(100_000, 64L << 20);
            }

            /** Returns whether a limit is exhausted. */
            public boolean isNone() {
                return frames <= 0 || bytes <= 0;
            }

            /** Returns the limits that remain after a frame of the given size. */
            public ReadAheadLimits less(int size) {
                return new ReadAheadLimits(frames - 1, bytes - size);
            }
        }
    }
}
