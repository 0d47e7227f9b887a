package io.kubemirror.clients;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;

/** The informer of the official JavaScript client, in a separate process. */
final class JavaScriptInformer implements Informer {

    private static final Path SOURCES = Path.of("src", "test", "javascript");

    /** The lock file with the version of each installed package. */
    static final Path LOCK = SOURCES.resolve("package-lock.json");

    private static final String SCRIPT = "informer.mjs";

    private final ProgramRun run;
    private final ReportedCache reportedCache;

    JavaScriptInformer(URI url, String namespace, ReportedPods reportedPods) {
        reportedCache = new ReportedCache(reportedPods);
        run =
                ProgramRun.start(
                        installed(),
                        List.of("node", SCRIPT, url.toString(), namespace),
                        this::look);
    }

    @Override
    public Map<String, String> held() {
        return reportedCache.held();
    }

    /** A directory with the script and the packages that it needs, which are installed once. */
    private static Path installed() {
        Path directory = Path.of("target", "javascript");
        Path lock = directory.resolve(LOCK.getFileName());
        try {
            Files.createDirectories(directory);
            copy(SCRIPT, directory);
            if (!Files.exists(lock) || Files.mismatch(LOCK, lock) >= 0) {
                copy("package.json", directory);
                install(directory);
            }
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

    private static void copy(String file, Path directory) throws IOException {
        Files.copy(
                SOURCES.resolve(file),
                directory.resolve(file),
                StandardCopyOption.REPLACE_EXISTING);
    }

    private void look(String line) {
        if (line.startsWith("{")) {
            reportedCache.tell(line);
        }
    }

    @Override
    public void close() {
        run.close();
    }
}
