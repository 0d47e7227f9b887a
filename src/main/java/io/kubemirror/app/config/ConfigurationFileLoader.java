package io.kubemirror.app.config;

import module java.base;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.origin.OriginTrackedResource;
import org.springframework.core.Ordered;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.reader.ReaderException;

/**
 * Loads YAML files as Boot does. It names the file that is not YAML, and refuses one whose aliases
 * ({@code *name}) stand for more than a configuration has; Boot does neither.
 */
public final class ConfigurationFileLoader extends YamlPropertySourceLoader implements Ordered {

    /**
     * As much as a config map holds. The time that the parser takes for a long line grows with the
     * square of its length, up to half a minute at the limit of the parser itself.
     */
    private static final int MAX_BYTES = 1024 * 1024;

    /** The first loader of a kind is used, so this one has to come before Boot's. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE + 1;
    }

    @Override
    public List<PropertySource<?>> load(String name, Resource resource) throws IOException {
        String problem;
        try {
            if (isPart(resource)) {
                return super.load(name, resource);
            }
            if (resource.isFile() && resource.getFile().isDirectory()) {
                throw new MalformedFileException(path(resource) + ": is a directory");
            }
            Resource read = read(resource);
            problem =
                    read.contentLength() > MAX_BYTES
                            ? ": is longer than 1 MiB"
                            : ExpandedSize.problem(read);
            if (problem.isEmpty()) {
                return super.load(name, read);
            }
        } catch (YAMLException malformed) {
            problem = problem(malformed);
        }
        throw new MalformedFileException(path(resource) + problem);
    }

    private static String path(Resource resource) {
        return resource.isFile() ? ConfigurationFiles.file(resource) : resource.getDescription();
    }

    /** What is a part of kubemirror, and what only it writes, is not checked. */
    private static boolean isPart(Resource resource) {
        return resource instanceof ClassPathResource
                || (resource instanceof OriginTrackedResource tracked
                        && isPart(tracked.getResource()));
    }

    /** A file is read once, since another one may take its place: what is loaded was checked. */
    private static Resource read(Resource resource) throws IOException {
        return resource instanceof OriginTrackedResource tracked
                ? OriginTrackedResource.of(read(tracked.getResource()), tracked.getOrigin())
                : new ReadFile(resource);
    }

    private static String problem(YAMLException malformed) {
        return switch (malformed) {
            case MarkedYAMLException marked when marked.getProblemMark() != null -> {
                Mark mark = marked.getProblemMark();
                // What follows these words is from the file.
                String words =
                        String.valueOf(marked.getProblem())
                                .replaceFirst("(?s)(alias|tag|key|anchor) .*", "$1");
                yield ", line %d, column %d: %s%s"
                        .formatted(
                                mark.getLine() + 1,
                                mark.getColumn() + 1,
                                marked instanceof ExpandedSize.ShapeException
                                        ? ""
                                        : "is not YAML: ",
                                words);
            }
            case YAMLException e when e.getCause() instanceof CharacterCodingException ->
                    ": is not text in UTF-8";
            case ReaderException _ -> ": is not YAML: it has a character that YAML does not allow";
            default -> ": is nested too deep";
        };
    }

    /** A file with the content that it had. */
    private static final class ReadFile extends ByteArrayResource {

        private final Resource file;

        private ReadFile(Resource file) throws IOException {
            super(content(file), file.getDescription());
            this.file = file;
        }

        private static byte[] content(Resource file) throws IOException {
            try (InputStream bytes = file.getInputStream()) {
                return bytes.readNBytes(MAX_BYTES + 1);
            }
        }

        @Override
        public boolean isFile() {
            return file.isFile();
        }

        @Override
        public File getFile() throws IOException {
            return file.getFile();
        }

        @Override
        public String getDescription() {
            return file.getDescription();
        }
    }

    /** Keeps the precedence of properties over YAML, which is the order of the loaders. */
    static final class PropertiesFirst extends PropertiesPropertySourceLoader implements Ordered {

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public List<PropertySource<?>> load(
                String name, Resource resource, @Nullable Charset encoding) throws IOException {
            try {
                return super.load(name, resource, encoding);
            } catch (IllegalStateException _) {
                throw new MalformedFileException(path(resource) + ": has a malformed \\u escape");
            }
        }
    }

    /**
     * Signals that a file is not YAML. Without a cause, whose message quotes a line of the file,
     * which may have a secret.
     */
    public static final class MalformedFileException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private MalformedFileException(String fileAndProblem) {
            super(fileAndProblem);
        }
    }
}
