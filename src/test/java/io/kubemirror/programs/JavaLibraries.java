package io.kubemirror.programs;

import module java.base;

import io.kubemirror.clients.ExternalProgram;
import io.kubemirror.clients.ProgramRun;
import io.kubemirror.testing.ForkLock;
import io.kubemirror.testing.Unchecked;

/** The libraries of the programs in Java, apart from kubemirror's and installed once by Maven. */
final class JavaLibraries {

    private static final Path SOURCES = Path.of("src", "test", "programs");
    private static final Path INSTALLED = Path.of("target", "programs", "java").toAbsolutePath();

    private JavaLibraries() {}

    /** Returns the directory with the libraries of a program, or skips the test. */
    static Path installed(String program) {
        ExternalProgram.MVN.demand();
        try {
            Path stamp = Files.createDirectories(INSTALLED).resolve("poms");
            String poms = poms();
            ForkLock.hold(
                    INSTALLED.resolve("lock"),
                    () -> {
                        if (!Files.exists(stamp) || !Files.readString(stamp).equals(poms)) {
                            install();
                            Files.writeString(stamp, poms);
                        }
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return INSTALLED.resolve(program);
    }

    private static void install() {
        List<String> command =
                List.of(
                        "mvn",
                        "--batch-mode",
                        "--quiet",
                        "dependency:copy-dependencies",
                        "-DoutputDirectory=" + INSTALLED + "/${project.artifactId}");
        try (ProgramRun run = ProgramRun.start(SOURCES, command)) {
            run.text();
        }
    }

    private static String poms() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(file -> file.endsWith("pom.xml"))
                    .sorted()
                    .map(file -> Unchecked.call(() -> Files.readString(file)))
                    .collect(Collectors.joining());
        }
    }
}
