package io.kubemirror.load;

import module java.base;

import org.springframework.util.FileSystemUtils;

/** What the container's image holds, made by the steps of the Dockerfile in a directory. */
final class ImageContents {

    private static final String NAME = "kubemirror";
    private static final String EMPTY = "empty";
    private static final String OPTIONS = "jvm.options";

    /** Where the Java runtime is. */
    private static final String RUNTIME = "java";

    /** How the Dockerfile makes it, on two lines. */
    private static final Pattern JLINK =
            Pattern.compile("^RUN jlink (.*)\\\\\\n(.*)", Pattern.MULTILINE);

    /** As often as the image's training asks. */
    private static final int TRAINING = 20;

    /** What a mirror with thousands of clients is given, beside the options of a sidecar. */
    static final String NODE = "node.options";

    /** What the options of a sidecar make of the chart's memory limit. */
    static final String CHART_HEAP = "-Xmx460m";

    private final Path directory;
    private final String name;

    private ImageContents(Path directory, String name) {
        this.directory = directory;
        this.name = name;
    }

    /**
     * Makes the Java runtime, takes the jar apart, and lets the JVM learn what a start loads.
     *
     * @param project the directory of the project, which has been built
     */
    static ImageContents of(Path project) {
        Path directory = project.resolve("target").resolve("image");
        ImageContents image = new ImageContents(directory, NAME);
        try {
            Files.createDirectories(directory);
            for (String options : List.of(OPTIONS, NODE)) {
                Files.copy(
                        project.resolve("src/main/docker").resolve(options),
                        directory.resolve(options),
                        StandardCopyOption.REPLACE_EXISTING);
            }
            image.linkRuntime(Files.readString(project.resolve("Dockerfile")));
            Path jar = project.resolve("target").resolve(image.jar()).toAbsolutePath();
            image.run(
                    List.of("-Djarmode=tools", "-jar", jar.toString()),
                    "extract",
                    "--destination",
                    ".",
                    "--force");
            String training = project.resolve("src/training/java").toAbsolutePath().toString();
            run(
                    image.command(
                            tool("javac"),
                            List.of("-d", "../training", "-sourcepath", training),
                            List.of(training + "/io/kubemirror/training/AotTraining.java")));
            image.run(
                    List.of("-cp", "../training"),
                    "io.kubemirror.training.AotTraining",
                    image.cache(),
                    "@" + OPTIONS,
                    "-jar",
                    image.jar());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return image;
    }

    private void linkRuntime(String dockerfile) throws IOException {
        Matcher jlink = JLINK.matcher(dockerfile);
        if (!jlink.find()) {
            throw new IllegalStateException("the Dockerfile has no " + JLINK);
        }
        FileSystemUtils.deleteRecursively(directory.resolve(RUNTIME));
        List<String> options = List.of((jlink.group(1) + jlink.group(2)).split("\\s+"));
        run(command(tool("jlink"), options, List.of()));
    }

    private static Path tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name);
    }

    /**
     * The same with an application that does nothing. The JVM writes its cache, too, while it
     * starts and answers probes.
     */
    ImageContents emptyApplication() {
        ImageContents empty = new ImageContents(directory, EMPTY);
        try {
            Files.deleteIfExists(directory.resolve(empty.cache()));
            EmptyApplication.write(directory.resolve(jar()), directory.resolve(empty.jar()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try (Sidecar sidecar = empty.sidecar()) {
            for (int i = 0; i < TRAINING; i++) {
                double _ = sidecar.metric("jvm_info");
            }
        }
        if (!Files.isRegularFile(directory.resolve(empty.cache()))) {
            throw new IllegalStateException("the JVM has written no cache");
        }
        return empty;
    }

    private String jar() {
        return name + ".jar";
    }

    private String cache() {
        return name + ".aot";
    }

    private void run(List<String> options, String... arguments) throws IOException {
        run(process(options, List.of(arguments)));
    }

    /** Runs a step that has to succeed. */
    static void run(ProcessBuilder step) throws IOException {
        try {
            if (step.inheritIO().start().waitFor() != 0) {
                throw new IllegalStateException("could not make the image");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Starts an application that does nothing. */
    Sidecar sidecar() {
        return new Sidecar(this, List.of(), List.of(EmptyApplication.NO_MIRRORS));
    }

    /** Starts kubemirror as the image does, with further options of the JVM. */
    ProcessBuilder start(List<String> options, List<String> arguments) {
        List<String> all = new ArrayList<>();
        boolean trained = Files.exists(directory.resolve(cache()));
        if (trained) {
            all.add("-XX:AOTCache=" + cache());
        } else {
            // As in the training of kubemirror.
            all.add("-XX:+UnlockDiagnosticVMOptions");
            all.add("-XX:-AOTRecordTraining");
            all.add("-XX:AOTCacheOutput=" + cache());
        }
        all.add("@" + OPTIONS);
        all.addAll(options);
        all.addAll(List.of("-jar", jar()));
        ProcessBuilder process = process(all, arguments);
        process.environment().put("MALLOC_ARENA_MAX", "2");
        return process;
    }

    /** Starts another program of this class path with the options of the image. */
    static Process start(List<String> options, Class<?> program, String... arguments)
            throws IOException {
        Path docker = Path.of("src", "main", "docker").toAbsolutePath();
        List<String> all = new ArrayList<>();
        all.add("@" + docker.resolve(OPTIONS));
        options.forEach(option -> all.add(option.replace("@", "@" + docker + File.separator)));
        all.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        ImageContents image = new ImageContents(Path.of("").toAbsolutePath(), NAME);
        ProcessBuilder process = image.command(tool("java"), all, List.of(arguments));
        process.environment().put("MALLOC_ARENA_MAX", "2");
        return process.redirectErrorStream(true)
                .redirectOutput(new File("target", program.getSimpleName() + ".log"))
                .start();
    }

    private ProcessBuilder process(List<String> options, List<String> arguments) {
        Path java = directory.resolve(RUNTIME).resolve("bin").resolve("java").toAbsolutePath();
        return command(java, options, arguments);
    }

    private ProcessBuilder command(Path tool, List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(tool.toString());
        command.addAll(options);
        command.addAll(arguments);
        return new ProcessBuilder(command).directory(directory.toFile());
    }
}
