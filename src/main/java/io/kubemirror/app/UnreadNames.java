package io.kubemirror.app;

import module java.base;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.stereotype.Component;

/**
 * Refuses names that are not read, and would be lost without a word: within {@code
 * kubemirror.resources}, where Boot compares only the first member of an element, such as a
 * selector that is written as a map; and members of {@code kubemirror} that are written beside it.
 * So are all names in a directory that may not be searched, in which Boot finds no files.
 */
@Component
final class UnreadNames implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName KUBEMIRROR =
            ConfigurationPropertyName.of("kubemirror");

    private static final ConfigurationPropertyName RESOURCES = KUBEMIRROR.append("resources");

    /** The end of a location that means all directories in another. */
    private static final String EACH = "*/";

    @Override
    public BindHandler apply(BindHandler handler) {
        Set<ConfigurationPropertyName> read = new HashSet<>();
        return new AbstractBindHandler(handler) {
            @Override
            public <T> @Nullable Bindable<T> onStart(
                    ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
                read.add(name);
                if (name.equals(KUBEMIRROR)) {
                    search("spring.config.location", "config/" + EACH, context.getBinder());
                    search("spring.config.additional-location", "", context.getBinder());
                }
                return super.onStart(name, target, context);
            }

            @Override
            public void onFinish(
                    ConfigurationPropertyName name,
                    Bindable<?> target,
                    BindContext context,
                    @Nullable Object result)
                    throws Exception {
                super.onFinish(name, target, context, result);
                if (name.equals(KUBEMIRROR)) {
                    refuse(context, read);
                }
            }
        };
    }

    private static void search(String property, String standard, Binder binder) {
        String locations = binder.bind(property, String.class).orElse(standard);
        for (String location : locations.split("[,;]", -1)) {
            for (File directory : directories(location)) {
                MirrorProperties.refuse(
                        directory.isDirectory() && !directory.canExecute(),
                        property,
                        directory + " cannot be searched; let the user of kubemirror search it");
            }
        }
    }

    /**
     * Returns the directory of a location, and what is in it if the location ends in a wildcard.
     */
    private static List<File> directories(String location) {
        String path = location.replaceFirst("^(optional:|file:|configtree:)*", "");
        List<File> directories = new ArrayList<>();
        directories.add(new File(path.replace(EACH, "")));
        if (path.endsWith(EACH)) {
            File @Nullable [] children = directories.getFirst().listFiles();
            directories.addAll(children == null ? List.of() : List.of(children));
        }
        return directories;
    }

    private static void refuse(BindContext context, Set<ConfigurationPropertyName> read) {
        UnboundElementsSourceFilter files = new UnboundElementsSourceFilter();
        for (ConfigurationPropertySource source : context.getSources()) {
            if (source instanceof IterableConfigurationPropertySource names
                    && files.apply(source)) {
                for (ConfigurationPropertyName name : names) {
                    boolean lost =
                            RESOURCES.isAncestorOf(name)
                                    ? !read.contains(name)
                                    : read.contains(KUBEMIRROR.append(name.chop(1)));
                    ConfigurationProperty property =
                            lost ? source.getConfigurationProperty(name) : null;
                    if (property != null) {
                        throw new UnboundConfigurationPropertiesException(Set.of(property));
                    }
                }
            }
        }
    }
}
