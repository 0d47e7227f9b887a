package io.kubemirror.app.config;

import module java.base;

import io.kubemirror.model.DurationRange;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * All properties in force with their values and sources, as YAML that kubemirror can read, with
 * secrets masked.
 *
 * @param environment where the properties come from
 * @param properties those under {@code kubemirror}, with their defaults
 */
public record EffectiveConfiguration(ConfigurableEnvironment environment, BoundRecords properties) {

    /** The groups of properties beside {@code kubemirror}. */
    private static final Set<String> GROUPS = Set.of("server", "management", "spring", "logging");

    private static final Pattern SECRET =
            Pattern.compile(
                    "(?i).*(password|passphrase|secret|token|key|credentials?|\\.headers\\..+)");

    private static final Pattern USER = Pattern.compile("(?<=://)[^/\\s]+(?=@)");

    private static final String MASK = "******";

    /** The source of values that are not set. */
    private static final String DEFAULT = "default";

    /** Values that need no quotes in YAML. */
    private static final Pattern PLAIN = Pattern.compile("[\\w./<(+-][\\w ./:@%+=<>()~-]*");

    /** Texts that YAML takes for another type; Boot reads true and false as text, too. */
    private static final Set<String> WORDS =
            Set.of("on", "off", "yes", "no", "y", "n", "null", "~");

    /**
     * Returns the document, with one property on each line.
     *
     * @param changed whether to leave out defaults
     */
    public String text(boolean changed) {
        Map<String, String> lines = new LinkedHashMap<>();
        ConfiguredValues.values(properties).forEach((name, value) -> lines.put(name, text(value)));
        others().forEach(name -> lines.put(name, environment.getProperty(name, "")));
        StringBuilder text = new StringBuilder();
        lines.forEach(
                (name, value) -> {
                    String source = source(name);
                    if (!changed || !source.equals(DEFAULT)) {
                        String setting = name + ": " + yaml(masked(name, value));
                        text.append("%-70s # %s%n".formatted(setting, source));
                    }
                });
        return text.toString();
    }

    /** Durations have one unit each, because Boot reads no others. */
    private static String text(Object value) {
        return switch (value) {
            case Duration duration -> simple(duration);
            case DurationRange(var shortest, var longest) ->
                    simple(shortest) + ".." + simple(longest);
            default -> ConfiguredValues.text(value);
        };
    }

    private static String simple(Duration duration) {
        ChronoUnit unit =
                Stream.of(ChronoUnit.HOURS, ChronoUnit.MINUTES, ChronoUnit.SECONDS)
                        .filter(one -> !duration.isZero())
                        .filter(one -> duration.toNanos() % one.getDuration().toNanos() == 0)
                        .findFirst()
                        .orElse(duration.isZero() ? ChronoUnit.SECONDS : ChronoUnit.MILLIS);
        return DurationStyle.SIMPLE.print(duration, unit);
    }

    private static String masked(String name, String value) {
        return !value.isEmpty() && SECRET.matcher(name).matches()
                ? MASK
                : USER.matcher(value).replaceAll(MASK);
    }

    private static String yaml(String value) {
        return PLAIN.matcher(value).matches()
                        && !value.matches("0[0-9]+")
                        && !WORDS.contains(value)
                        && !value.contains(": ")
                        && !value.endsWith(":")
                ? value.strip()
                : "'" + value.replace("'", "''").replaceAll("\\R", " ") + "'";
    }

    /** Names are as they are written; variables of the environment have one way to be read. */
    private Set<String> others() {
        Set<String> names = new TreeSet<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof SystemEnvironmentPropertySource variables) {
                ConfigurationPropertySource view = ConfigurationPropertySource.from(variables);
                if (view instanceof IterableConfigurationPropertySource all) {
                    all.stream().map(ConfigurationPropertyName::toString).forEach(names::add);
                }
            } else if (source instanceof EnumerablePropertySource<?> all
                    && !ConfigurationPropertySources.isAttachedConfigurationPropertySource(source)
                    && !source.getName().equals("applicationInfo")) {
                names.addAll(List.of(all.getPropertyNames()));
            }
        }
        names.removeIf(name -> GROUPS.stream().noneMatch(group -> name.startsWith(group + ".")));
        Set<ConfigurationPropertyName> seen = new HashSet<>();
        names.removeIf(name -> !seen.add(ConfigurationPropertyName.adapt(name, '.')));
        return names;
    }

    /** Returns where a value comes from: a file and its line, a variable, or what else. */
    private String source(String name) {
        return ConfigurationFiles.written(environment, name)
                .map(EffectiveConfiguration::source)
                .orElse(DEFAULT);
    }

    private static String source(ConfigurationProperty property) {
        String place = ConfigurationFiles.place(property.getOrigin());
        if (!place.isEmpty()) {
            return place;
        }
        ConfigurationPropertySource source = property.getSource();
        String name =
                source != null && source.getUnderlyingSource() instanceof PropertySource<?> named
                        ? named.getName()
                        : "";
        return switch (name) {
            case "commandLineArgs" -> "command line";
            case "systemProperties" -> "system property";
            case String own when own.contains("class path resource") -> DEFAULT;
            // Boot sets a property for the format of logs.
            case "logCorrelation" -> DEFAULT;
            case String other -> other;
        };
    }
}
