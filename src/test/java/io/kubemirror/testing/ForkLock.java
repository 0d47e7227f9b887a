package io.kubemirror.testing;

import module java.base;

/** Lets one JVM at a time change files that all JVMs of a build share. */
public final class ForkLock {

    private ForkLock() {}

    /** Something that is done with files. */
    @FunctionalInterface
    public interface FileAction {
        void run() throws IOException;
    }

    /**
     * Runs an action while no other JVM runs one with the same lock. For one thread of this JVM.
     *
     * @param lock a file, which is created and stays
     */
    public static void hold(Path lock, FileAction action) throws IOException {
        Files.createDirectories(lock.toAbsolutePath().getParent());
        try (FileChannel channel =
                        FileChannel.open(
                                lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock _ = channel.lock()) {
            action.run();
        }
    }
}
