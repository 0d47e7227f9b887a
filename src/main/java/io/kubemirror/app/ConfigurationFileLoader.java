package io.kubemirror.app;

import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.Ordered;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.Resource;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.reader.ReaderException;

import java.io.IOException;
import java.util.List;

/**
 * Loads YAML files as Boot does. It names the file that is not YAML, and refuses one whose aliases
 * ({@code *name}) stand for more than a configuration has; Boot does neither.
 */
public final class ConfigurationFileLoader extends YamlPropertySourceLoader implements Ordered {

    /** The first loader of a kind is used, so this one has to come before Boot's. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE + 1;
    }

    @Override
    public List<PropertySource<?>> load(String name, Resource resource) throws IOException {
        String problem;
        try {
            problem = ExpandedSize.problem(resource);
            if (problem.isEmpty()) {
                return super.load(name, resource);
            }
        } catch (YAMLException malformed) {
            problem = problem(malformed);
        }
        String path =
                resource.isFile() ? ConfigurationFiles.file(resource) : resource.getDescription();
        throw new MalformedFileException(path + problem);
    }

    private static String problem(YAMLException malformed) {
        return switch (malformed) {
            case MarkedYAMLException marked when marked.getProblemMark() != null -> {
                Mark mark = marked.getProblemMark();
                // What follows these words is from the file.
                String words =
                        String.valueOf(marked.getProblem())
                                .replaceFirst("(?s)(alias|tag|key|anchor) .*", "$1");
                yield ", line %d, column %d: is not YAML: %s"
                        .formatted(mark.getLine() + 1, mark.getColumn() + 1, words);
            }
            case ReaderException _ -> ": is not YAML: it has a character that YAML does not allow";
            default -> ": is too long, or nested too deep";
        };
    }

    /** Keeps the precedence of properties over YAML, which is the order of the loaders. */
    static final class PropertiesFirst extends PropertiesPropertySourceLoader implements Ordered {

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
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
