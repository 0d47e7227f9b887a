package io.kubemirror.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** What the container's image holds, made by the steps of the Dockerfile in a directory. */
final class ImageContents {

    private static final String JAR = "kubemirror.jar";
    private static final String OPTIONS = "jvm.options";

    /** What a mirror with thousands of clients is given, beside the options of a sidecar. */
    static final String NODE = "node.options";

    /** What the options of a sidecar make of the chart's memory limit. */
    static final String CHART_HEAP = "-Xmx460m";

    private final Path directory;

    private ImageContents(Path directory) {
        this.directory = directory;
    }

    /**
     * Takes the jar apart and lets the JVM learn what a start loads.
     *
     * @param project the directory of the project, which has been built
     */
    static ImageContents of(Path project) {
        Path directory = project.resolve("target").resolve("image");
        ImageContents image = new ImageContents(directory);
        try {
            Files.createDirectories(directory);
            for (String options : List.of(OPTIONS, NODE)) {
                Files.copy(
                        project.resolve("src/main/docker").resolve(options),
                        directory.resolve(options),
                        StandardCopyOption.REPLACE_EXISTING);
            }
            Path jar = project.resolve("target").resolve(JAR).toAbsolutePath();
            image.run(
                    List.of("-Djarmode=tools", "-jar", jar.toString()),
                    "extract",
                    "--destination",
                    ".",
                    "--force");
            image.run(
                    List.of("-cp", "../training"),
                    "io.kubemirror.training.AotTraining",
                    "kubemirror.aot",
                    "@" + OPTIONS,
                    "-jar",
                    JAR);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return image;
    }

    private void run(List<String> options, String... arguments) throws IOException {
        Process process = process(options, List.of(arguments)).inheritIO().start();
        try {
            if (process.waitFor() != 0) {
                throw new IllegalStateException("could not make the image");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Starts kubemirror as the image does, with further options of the JVM. */
    ProcessBuilder start(List<String> options, List<String> arguments) {
        List<String> all = new ArrayList<>();
        all.add("-XX:AOTCache=kubemirror.aot");
        all.add("@" + OPTIONS);
        all.addAll(options);
        all.addAll(List.of("-jar", JAR));
        ProcessBuilder process = process(all, arguments);
        process.environment().put("MALLOC_ARENA_MAX", "2");
        return process;
    }

    private ProcessBuilder process(List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(arguments);
        return new ProcessBuilder(command).directory(directory.toFile());
    }
}
