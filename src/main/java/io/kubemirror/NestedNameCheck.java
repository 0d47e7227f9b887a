package io.kubemirror;

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

import java.util.Set;
import java.util.function.Predicate;

/**
 * Rejects unknown names in the groups of list elements, such as {@code resources[0].history.x}.
 * Boot finds all other unknown names, but takes these for elements that another source overrides.
 */
@Component
final class NestedNameCheck implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName RESOURCES =
            ConfigurationPropertyName.of("kubemirror.resources");

    /** Boot leaves out the environment in the same way, because Kubernetes sets variables in it. */
    private final Predicate<ConfigurationPropertySource> isChecked =
            new UnboundElementsSourceFilter()::apply;

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public void onFinish(
                    ConfigurationPropertyName name,
                    Bindable<?> target,
                    BindContext context,
                    @Nullable Object result)
                    throws Exception {
                if (context.getDepth() == 0 && name.isParentOf(RESOURCES)) {
                    check(context);
                }
                super.onFinish(name, target, context, result);
            }
        };
    }

    private void check(BindContext context) {
        for (ConfigurationPropertySource source : context.getSources()) {
            if (isChecked.test(source)
                    && source instanceof IterableConfigurationPropertySource all) {
                all.stream()
                        .filter(RESOURCES::isAncestorOf)
                        .filter(name -> KnownProperties.mistake(name).isPresent())
                        .findFirst()
                        .map(source::getConfigurationProperty)
                        .ifPresent(NestedNameCheck::reject);
            }
        }
    }

    private static void reject(ConfigurationProperty unknown) {
        throw new UnboundConfigurationPropertiesException(Set.of(unknown));
    }
}
