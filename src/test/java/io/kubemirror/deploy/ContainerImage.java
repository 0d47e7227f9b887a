package io.kubemirror.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.deploy.Dockerfile.BuildStep;
import io.kubemirror.deploy.Dockerfile.Stage;

import org.springframework.util.FileSystemUtils;

/**
 * The image, built without a container engine: each stage of the Dockerfile has a directory as its
 * root, and the commands of the stage run in it.
 *
 * <p>There are two differences. The results of Maven exist already, and the programs of other base
 * images are those of this JDK.
 */
final class ContainerImage {

    /** What Maven makes and later steps use. */
    private static final List<String> MADE =
            List.of("target/kubemirror.jar", "target/classes/META-INF/sbom");

    private final Path root;
    private final Map<String, String> environment = new HashMap<>();
    private Path work;

    private ContainerImage(Path root) {
        this.root = root;
        work = root;
    }

    /** Takes all steps in an empty directory. */
    static ContainerImage build(Dockerfile dockerfile, Path directory) throws Exception {
        ContainerImage image = new ContainerImage(directory);
        for (Stage stage : dockerfile.stages()) {
            image =
                    new ContainerImage(
                            directory.resolve(stage.name().isEmpty() ? "image" : stage.name()));
            for (BuildStep step : stage.steps()) {
                image.take(step, directory);
            }
        }
        return image;
    }

    /** The directory that stands for the root of its file system. */
    Path root() {
        return root;
    }

    private void take(BuildStep step, Path stages) throws Exception {
        switch (step.verb()) {
            case "WORKDIR" -> work = Files.createDirectories(inside(step.text()));
            case "ENV" -> {
                String[] pair = step.text().split("=", 2);
                environment.put(pair[0], pair[1]);
            }
            case "COPY" -> copy(step, stages);
            case "RUN" -> run(step, stages);
            default -> {
                // Says something about the image, and nothing is done.
            }
        }
    }

    private void copy(BuildStep step, Path stages) throws IOException {
        String from = step.option("from");
        Path source = from.isEmpty() ? Path.of("").toAbsolutePath() : stages.resolve(from);
        List<String> words = step.words();
        for (String word : words.subList(0, words.size() - 1)) {
            String name = word.replaceFirst("^/", "");
            Path target = inside(words.getLast());
            boolean into = words.getLast().endsWith("/") || words.getLast().equals(".");
            Path file = source.resolve(name);
            copyTree(
                    file,
                    into && Files.isRegularFile(file)
                            ? target.resolve(file.getFileName())
                            : target);
        }
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from, FileVisitOption.FOLLOW_LINKS)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString()).normalize();
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.createDirectories(target.getParent());
                    Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
    }

    private void run(BuildStep step, Path stages) throws Exception {
        List<String> words = step.words();
        if (words.getFirst().equals("mvn")) {
            for (String made : MADE) {
                copyTree(Path.of(made), work.resolve(made));
            }
            return;
        }
        Map<String, String> mount = step.mount();
        Path mounted = work.resolve(mount.getOrDefault("target", "none"));
        String source = mount.getOrDefault("source", "");
        if (!source.isEmpty()) {
            Path stage = stages.resolve(mount.getOrDefault("from", ""));
            copyTree(stage.resolve(source.replaceFirst("^/", "")), mounted);
        }
        Process process = start(words, Map.of());
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        if (process.waitFor() != 0) {
            throw new AssertionError(step.text() + ": " + said);
        }
        var _ = FileSystemUtils.deleteRecursively(mounted);
    }

    /** Starts a command in the image, with what it prints merged into its output. */
    Process start(List<String> command, Map<String, String> more) throws IOException {
        List<String> words = new ArrayList<>(command);
        words.set(0, program(words.getFirst()));
        ProcessBuilder builder = new ProcessBuilder(words).directory(work.toFile());
        builder.redirectErrorStream(true).environment().remove("JDK_JAVA_OPTIONS");
        builder.environment().putAll(environment);
        builder.environment().putAll(more);
        return builder.start();
    }

    private String program(String name) {
        Path own = inside(environment.getOrDefault("PATH", "/")).resolve(name);
        return (Files.isExecutable(own)
                        ? own
                        : Path.of(System.getProperty("java.home"), "bin", name))
                .toString();
    }

    private Path inside(String path) {
        return path.startsWith("/")
                ? root.resolve(path.substring(1))
                : work.resolve(path).normalize();
    }

    /** Every file with its size and time, so that one can see whether anything was written. */
    Map<String, String> inventory() throws IOException {
        Map<String, String> inventory = new HashMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                inventory.put(
                        root.relativize(file).toString(),
                        Files.size(file) + " " + Files.getLastModifiedTime(file));
            }
        }
        return inventory;
    }
}
