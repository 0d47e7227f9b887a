package io.kubemirror.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.clients.ExternalProgram;

/**
 * Runs promtool, which checks rules and metrics, if it is installed.
 *
 * @param directory where it looks for files
 */
record Promtool(Path directory) {

    Promtool {
        ExternalProgram.PROMTOOL.demand();
    }

    /** Runs it without input; an error unless it is content. */
    String run(String... arguments) {
        return fed("", arguments);
    }

    /** Runs it with some input; an error unless it is content. */
    String fed(String input, String... arguments) {
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        try {
            Process process =
                    new ProcessBuilder(command)
                            .directory(directory.toFile())
                            .redirectErrorStream(true)
                            .start();
            try (var out = process.outputWriter()) {
                out.write(input);
            }
            String said = new String(process.getInputStream().readAllBytes(), UTF_8);
            if (process.onExit().join().exitValue() != 0) {
                throw new AssertionError(said);
            }
            return said;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
