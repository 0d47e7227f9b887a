package io.kubemirror.clients;

import module java.base;

import io.kubemirror.testing.ForkLock;

/** The scripts on the official JavaScript client, with their packages. */
public final class NodeScripts {

    private static final Path SOURCES = Path.of("src", "test", "javascript");

    /** The lock file with the version of each installed package. */
    static final Path LOCK = SOURCES.resolve("package-lock.json");

    private NodeScripts() {}

    /** A directory with the scripts and the packages that they need, which are installed once. */
    public static Path installed() {
        Path directory = Path.of("target", "javascript");
        try {
            ForkLock.hold(
                    Path.of("target", "javascript.lock"),
                    () -> {
                        Files.createDirectories(directory);
                        for (String script : List.of("informer.mjs", "controller.mjs")) {
                            if (isOther(script, directory)) {
                                copy(script, directory);
                            }
                        }
                        if (isOther(LOCK.getFileName().toString(), directory)) {
                            copy("package.json", directory);
                            install(directory);
                        }
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return directory;
    }

    /** Leaves a lock file only if the installation is complete. */
    private static void install(Path directory) throws IOException {
        Path lock = directory.resolve(LOCK.getFileName());
        copy(lock.getFileName().toString(), directory);
        List<String> command = List.of("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
        try (ProgramRun npm = ProgramRun.start(directory, command)) {
            npm.text();
        } catch (AssertionError e) {
            Files.delete(lock);
            throw e;
        }
    }

    private static boolean isOther(String file, Path directory) throws IOException {
        Path copy = directory.resolve(file);
        return !Files.exists(copy) || Files.mismatch(SOURCES.resolve(file), copy) >= 0;
    }

    private static void copy(String file, Path directory) throws IOException {
        Files.copy(
                SOURCES.resolve(file),
                directory.resolve(file),
                StandardCopyOption.REPLACE_EXISTING);
    }
}
