package io.kubemirror.feature.cli;

import module java.base;

import io.kubemirror.app.CommandLineProgram;
import io.kubemirror.app.ConfigurationCommands;

/** The commands of kubemirror. Picocli is not loaded for the health check of a container. */
public final class KubeMirrorCommandLine implements CommandLineProgram {

    /** Created by {@link java.util.ServiceLoader}. */
    public KubeMirrorCommandLine() {}

    @Override
    public int run(List<String> words, PrintWriter out, PrintWriter err) throws IOException {
        return words.equals(DiagnoseCommand.HEALTH_CHECK)
                ? DiagnoseCommand.checkReadiness()
                : CommandLineTool.run(words, out, err, ConfigurationCommands.all());
    }
}
