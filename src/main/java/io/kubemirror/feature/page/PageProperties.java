package io.kubemirror.feature.page;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceName.Match;
import io.kubemirror.model.ResourceType;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The status page of the management port.
 *
 * @param showContents Resources whose contents the status page may show, as the difference between
 *     two revisions of an object: names such as pods or deployments.apps, or * for all resources
 *     except Secrets. Refused if the API requires authentication.
 */
@ConfigurationProperties("kubemirror.page")
public record PageProperties(@DefaultValue List<String> showContents) {

    private static final String PROPERTY = "kubemirror.page.show-contents";
    private static final String ALL = "*";

    /** Rejects names that are no resources. */
    public PageProperties {
        showContents = List.copyOf(showContents);
        for (String resource : showContents) {
            if (!resource.equals(ALL)) {
                check(resource);
            }
        }
    }

    private static void check(String resource) {
        try {
            ResourceName _ = new ResourceName(resource);
        } catch (IllegalArgumentException invalid) {
            throw refusal(
                    resource, invalid.getMessage() + "; correct it, or use * for all but Secrets");
        }
    }

    /** Returns the exception that ends the start because contents cannot be shown safely. */
    public static InvalidConfigurationPropertyValueException refusal(Object value, String reason) {
        return new InvalidConfigurationPropertyValueException(PROPERTY, value, reason);
    }

    /** Returns whether the page may show contents of some resource. */
    public boolean isAnyShown() {
        return !showContents.isEmpty();
    }

    /** Returns whether the page may show the contents of a mirror, once its type is known. */
    boolean isShown(Mirror mirror) {
        return mirror.type().map(this::isShown).orElse(false);
    }

    /** Secrets must be named: all resources does not include them. */
    private boolean isShown(ResourceType type) {
        boolean secrets = type.group().isEmpty() && type.plural().equals("secrets");
        return showContents.stream()
                .anyMatch(
                        shown ->
                                shown.equals(ALL)
                                        ? !secrets
                                        : new ResourceName(shown)
                                                        .match(
                                                                type.group(),
                                                                type.version(),
                                                                type.plural())
                                                != Match.NONE);
    }
}
