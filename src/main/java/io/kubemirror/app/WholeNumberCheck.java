package io.kubemirror.app;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.stereotype.Component;

/**
 * Refuses numbers such as 1.5 where a whole one is expected, of which Boot drops the fraction.
 *
 * <p>Rejected: a converter, because Boot tries another one after one that fails.
 */
@Component
final class WholeNumberCheck implements ConfigurationPropertiesBindHandlerAdvisor {

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public @Nullable Object onSuccess(
                    ConfigurationPropertyName name,
                    Bindable<?> target,
                    BindContext context,
                    Object result) {
                ConfigurationProperty property = context.getConfigurationProperty();
                if (result instanceof Integer number
                        && property != null
                        && property.getValue() instanceof Double written
                        && written != number.doubleValue()) {
                    throw new InvalidConfigurationPropertyValueException(
                            name.toString(), written, "is not a whole number; correct it");
                }
                return super.onSuccess(name, target, context, result);
            }
        };
    }
}
