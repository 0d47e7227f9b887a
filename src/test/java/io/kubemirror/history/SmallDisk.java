package io.kubemirror.history;

import module java.base;

import io.kubemirror.testing.Unchecked;

/** A directory that can be filled: a file system of its own, where the machine permits it. */
final class SmallDisk implements AutoCloseable {

    private static final String SIZE = "2m";
    private static final int BLOCK = 4096;

    private final Path directory;
    private final boolean small;

    /** Creates the directory, which is not small if it cannot be mounted. */
    SmallDisk(Path directory) throws IOException, InterruptedException {
        this.directory = Files.createDirectories(directory);
        small = isDone("mount", "-t", "tmpfs", "-o", "size=" + SIZE, "tmpfs", directory.toString());
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
        if (!small) {
            System.out.println("no disk is filled: tmpfs cannot be mounted on " + directory);
        }
    }

    private static boolean isDone(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
        } catch (IOException missing) {
            return false;
        }
    }

    boolean isSmall() {
        return small;
    }

    Path directory() {
        return directory;
    }

    private Path filler() {
        return directory.resolve("filler");
    }

    /** Leaves no space. */
    void fill() {
        try (OutputStream out = Files.newOutputStream(filler())) {
            while (true) {
                out.write(new byte[BLOCK]);
            }
        } catch (IOException full) {
            // This is the purpose.
        }
    }

    /** Makes space again. */
    void clear() {
        Unchecked.run(() -> Files.deleteIfExists(filler()));
    }

    @Override
    public void close() {
        try {
            if (small) {
                // Another time when the JVM ends, in case the run was cut off.
                var _ = isDone("umount", "-l", "-q", directory.toString());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
