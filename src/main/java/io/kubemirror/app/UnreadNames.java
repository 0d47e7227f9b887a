package io.kubemirror.app;

import module java.base;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.stereotype.Component;

/**
 * Refuses names within {@code kubemirror.resources} that are not read. Boot compares only the first
 * member of an element, so that a selector that is written as a map would be lost without a word.
 */
@Component
final class UnreadNames implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName RESOURCES =
            ConfigurationPropertyName.of("kubemirror.resources");

    @Override
    public BindHandler apply(BindHandler handler) {
        Set<ConfigurationPropertyName> read = new HashSet<>();
        return new AbstractBindHandler(handler) {
            @Override
            public <T> @Nullable Bindable<T> onStart(
                    ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
                read.add(name);
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
                if (name.equals(RESOURCES.getParent())) {
                    refuse(context, read);
                }
            }
        };
    }

    private static void refuse(BindContext context, Set<ConfigurationPropertyName> read) {
        UnboundElementsSourceFilter files = new UnboundElementsSourceFilter();
        for (ConfigurationPropertySource source : context.getSources()) {
            if (source instanceof IterableConfigurationPropertySource names
                    && files.apply(source)) {
                for (ConfigurationPropertyName name : names) {
                    ConfigurationProperty property = source.getConfigurationProperty(name);
                    if (RESOURCES.isAncestorOf(name) && !read.contains(name) && property != null) {
                        throw new UnboundConfigurationPropertiesException(Set.of(property));
                    }
                }
            }
        }
    }
}
