package io.kubemirror.config;

import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.Ordered;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.Resource;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

import java.io.IOException;
import java.util.List;

/** Loads YAML files as Boot does, and names the file that is not YAML, which Boot does not. */
public final class ConfigurationFileLoader extends YamlPropertySourceLoader implements Ordered {

    /** The first loader of a kind is used, so this one has to come before Boot's. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE + 1;
    }

    @Override
    public List<PropertySource<?>> load(String name, Resource resource) throws IOException {
        try {
            return super.load(name, resource);
        } catch (YAMLException malformed) {
            String path =
                    resource.isFile()
                            ? ConfigurationFiles.file(resource)
                            : resource.getDescription();
            throw new MalformedFileException(path, malformed);
        }
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

        private MalformedFileException(String file, YAMLException malformed) {
            super(file + problem(malformed));
        }

        private static String problem(YAMLException malformed) {
            if (malformed instanceof MarkedYAMLException marked
                    && marked.getProblemMark() != null) {
                Mark mark = marked.getProblemMark();
                // What follows these words is from the file.
                String words =
                        String.valueOf(marked.getProblem())
                                .replaceFirst("(?s)(alias|tag|key|anchor) .*", "$1");
                return ", line %d, column %d: is not YAML: %s"
                        .formatted(mark.getLine() + 1, mark.getColumn() + 1, words);
            }
            return ": is not YAML: it has a character that YAML does not allow";
        }
    }
}
