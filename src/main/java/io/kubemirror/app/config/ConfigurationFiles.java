package io.kubemirror.app.config;

import module java.base;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.bootstrap.ConfigurableBootstrapContext;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.context.config.ConfigDataEnvironmentUpdateListener;
import org.springframework.boot.context.config.ConfigDataLocation;
import org.springframework.boot.context.config.ConfigDataResource;
import org.springframework.boot.context.config.StandardConfigDataResource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.env.ConfigTreePropertySource;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginTrackedResource;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.SystemEnvironmentOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.util.StringUtils;

/**
 * The configuration files of Spring Boot: reads them again as the start did, and tells whether they
 * changed.
 *
 * <p>Boot creates it during the start, where it remembers what the start had beside files: the
 * command line, environment variables, system properties, and profiles. It is then a bean.
 *
 * <p>Rejected: a {@code WatchService}. It does not see that the target of a symlink changes, which
 * is how a mounted ConfigMap changes, nor changes on several kinds of volumes, and it uses inotify
 * instances, of which a node has few.
 *
 * <p>Used by one thread at a time.
 */
public final class ConfigurationFiles implements EnvironmentPostProcessor, Ordered {

    private static final String LOCATION = "spring.config.location";

    private static final String TREE = "configtree:";

    /** The property of a resource that may be written in its place. */
    private static final String RESOURCE = "resource";

    /** A file in the name of a property source. */
    private static final Pattern FILE = Pattern.compile("'file \\[([^]]+)]'");

    private static final Set<String> EXTENSIONS = Set.of("yaml", "yml", "properties", "xml");

    /** The depth up to which a tree of files with one property each is read. */
    private static final int DEPTH = 8;

    private static final int BUFFER = 8 * 1024;

    private List<PropertySource<?>> others = List.of();
    private String[] profiles = {};
    private Set<String> additionalProfiles = Set.of();

    /** The names of files in a directory, without profile and extension. */
    private List<String> names = List.of();

    /** The locations that are searched, in the notation of {@code spring.config.location}. */
    private List<String> locations = List.of();

    /** The files and trees that were read last, which may be imported by other files. */
    private Set<String> read = Set.of();

    /** Creates an instance for Boot, which becomes a bean as soon as there is a context. */
    public ConfigurationFiles(ConfigurableBootstrapContext bootstrap) {
        bootstrap.addCloseListener(
                closed ->
                        closed.getApplicationContext()
                                .getBeanFactory()
                                .registerSingleton("configurationFiles", this));
    }

    /** The last one before the files are read. */
    @Override
    public int getOrder() {
        return ConfigDataEnvironmentPostProcessor.ORDER - 1;
    }

    @Override
    public void postProcessEnvironment(
            ConfigurableEnvironment environment, SpringApplication application) {
        others =
                environment.getPropertySources().stream()
                        .filter(source -> !isView(source))
                        .toList();
        profiles = environment.getActiveProfiles();
        additionalProfiles = Set.copyOf(application.getAdditionalProfiles());
        Binder binder = Binder.get(environment);
        names = List.of(setting(binder, "spring.config.name", "application"));
        locations = locations(binder);
        keepDefaults(setting(binder, LOCATION));
    }

    /**
     * Refuses locations in place of the usual ones without those of the jar, whose defaults
     * kubemirror needs.
     */
    private static void keepDefaults(String[] locations) {
        boolean kept =
                Arrays.stream(locations)
                        .flatMap(location -> Stream.of(ConfigDataLocation.of(location).split()))
                        .anyMatch(location -> withoutPrefix(location).startsWith("classpath:"));
        if (locations.length > 0 && !kept) {
            throw new InvalidConfigurationPropertyValueException(
                    LOCATION,
                    String.join(",", locations),
                    "replaces the defaults of kubemirror; use spring.config.additional-location,"
                            + " or precede it with classpath:/");
        }
    }

    private static List<String> locations(Binder binder) {
        return Stream.of(
                        setting(binder, LOCATION, "file:./;file:./config/;file:./config/*/"),
                        setting(binder, "spring.config.additional-location"),
                        setting(binder, "spring.config.import"))
                .flatMap(Stream::of)
                .flatMap(location -> Stream.of(ConfigDataLocation.of(location).split()))
                .map(ConfigurationFiles::withoutPrefix)
                .toList();
    }

    private static String[] setting(Binder binder, String name, String... defaults) {
        return binder.bind(name, String[].class).orElse(defaults);
    }

    private static String withoutPrefix(ConfigDataLocation location) {
        return location.getNonPrefixedValue(ConfigDataLocation.OPTIONAL_PREFIX);
    }

    /** Returns whether a source is Boot's view of all other sources. */
    private static boolean isView(PropertySource<?> source) {
        return ConfigurationPropertySources.isAttachedConfigurationPropertySource(source);
    }

    /**
     * Reads all files as the start did.
     *
     * @return an environment like that of the start, with the present content of the files
     * @throws RuntimeException if a file is malformed or a mandatory one is missing; the message
     *     may contain a part of the file
     */
    public ConfigurableEnvironment read() {
        StandardEnvironment environment = new StandardEnvironment();
        MutablePropertySources sources = environment.getPropertySources();
        List.copyOf(sources.stream().toList()).forEach(source -> sources.remove(source.getName()));
        others.forEach(sources::addLast);
        environment.setActiveProfiles(profiles);
        Set<String> found = new LinkedHashSet<>();
        try {
            ConfigDataEnvironmentPostProcessor.applyTo(
                    environment, null, null, additionalProfiles, listener(found));
            read = Set.of();
        } finally {
            // What a file imports is unknown while it is malformed.
            read = Stream.concat(read.stream(), found.stream()).collect(Collectors.toSet());
        }
        ConfigurationPropertySources.attach(environment);
        return environment;
    }

    private static ConfigDataEnvironmentUpdateListener listener(Set<String> found) {
        return new ConfigDataEnvironmentUpdateListener() {
            @Override
            public void onPropertySourceAdded(
                    PropertySource<?> source,
                    @Nullable ConfigDataLocation location,
                    @Nullable ConfigDataResource resource) {
                if (resource instanceof StandardConfigDataResource standard
                        && standard.getResource().isFile()) {
                    found.add(file(standard.getResource()));
                } else if (location != null && withoutPrefix(location).startsWith(TREE)) {
                    found.add(withoutPrefix(location));
                }
            }
        };
    }

    /** Returns the path of a resource that is a file. */
    static String file(Resource resource) {
        try {
            return resource.getFile().getPath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the properties that files of an environment have, with their values before
     * placeholders are resolved.
     */
    public static Map<String, Object> properties(ConfigurableEnvironment environment) {
        Map<String, Object> properties = new TreeMap<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof OriginTrackedMapPropertySource
                    || source instanceof ConfigTreePropertySource) {
                for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                    value(environment, name).ifPresent(value -> properties.put(name, value));
                }
            }
        }
        return properties;
    }

    /**
     * Returns the value of a property in the source that has precedence, before placeholders are
     * resolved.
     */
    public static Optional<Object> value(ConfigurableEnvironment environment, String name) {
        return environment.getPropertySources().stream()
                .filter(ConfigurationFiles::isView)
                .findFirst()
                .map(all -> all.getProperty(name));
    }

    /** Returns the files that an environment was read from, the one with precedence first. */
    public static List<String> files(ConfigurableEnvironment environment) {
        return environment.getPropertySources().stream()
                .filter(OriginTrackedMapPropertySource.class::isInstance)
                .flatMap(source -> FILE.matcher(source.getName()).results())
                .map(file -> file.group(1))
                .distinct()
                .toList();
    }

    /**
     * Returns where a value was written: a file with the line, or an environment variable; empty
     * for other sources.
     */
    public static String place(@Nullable Origin origin) {
        return switch (origin) {
            case PropertySourceOrigin of -> place(of.getOrigin());
            case TextResourceOrigin text -> place(text);
            case SystemEnvironmentOrigin variable ->
                    "environment variable " + variable.getProperty();
            case null, default -> "";
        };
    }

    /**
     * Returns the value of a property with its source and origin. What is written in a shorter form
     * counts, too: a list as text, or a resource without further properties.
     *
     * @param name the name of a property, a list, or an element
     * @return empty if no source has a value, so that the default applies
     */
    public static Optional<ConfigurationProperty> written(Environment environment, String name) {
        return written(environment, ConfigurationPropertyName.adapt(name, '.'));
    }

    private static Optional<ConfigurationProperty> written(
            Environment environment, ConfigurationPropertyName name) {
        boolean element = name.isLastElementIndexed();
        String last = name.getLastElement(ConfigurationPropertyName.Form.DASHED);
        Optional<ConfigurationProperty> found =
                Stream.of(name, name.append(element ? RESOURCE : "[0]"))
                        .flatMap(one -> values(environment, one))
                        .findFirst();
        return found.isEmpty() && (element || last.equals(RESOURCE))
                ? written(environment, name.getParent())
                : found;
    }

    /** Returns the sources of an environment, the one with precedence first. */
    public static Stream<ConfigurationPropertySource> sources(Environment environment) {
        return StreamSupport.stream(
                ConfigurationPropertySources.get(environment).spliterator(), false);
    }

    private static Stream<ConfigurationProperty> values(
            Environment environment, ConfigurationPropertyName name) {
        return sources(environment)
                .map(source -> source.getConfigurationProperty(name))
                .filter(Objects::nonNull);
    }

    private static String place(TextResourceOrigin text) {
        Resource resource = text.getResource();
        if (resource instanceof OriginTrackedResource tracked) {
            resource = tracked.getResource();
        }
        TextResourceOrigin.Location location = text.getLocation();
        return resource == null
                        || resource instanceof ClassPathResource
                        || !resource.isFile()
                        || location == null
                ? ""
                : file(resource) + ", line " + (location.getLine() + 1);
    }

    /** Returns a digest of all files in which the configuration is or may appear. */
    public String fingerprint() {
        MessageDigest digest = sha256();
        Stream.concat(locations.stream(), read.stream())
                .flatMap(this::files)
                .distinct()
                .sorted()
                .forEach(file -> add(file, digest));
        return HexFormat.of().formatHex(digest.digest());
    }

    private Stream<Path> files(String location) {
        if (location.startsWith(TREE)) {
            return tree(Path.of(location.substring(TREE.length())));
        }
        boolean file = location.startsWith("file:") || !location.matches("[a-z][a-z0-9+.-]+:.*");
        if (!file) {
            return Stream.of();
        }
        String path = location.replaceFirst("^file:(?=//)?", "").replaceFirst("\\[[^]]*]$", "");
        if (path.endsWith("*/")) {
            return children(Path.of(path.substring(0, path.length() - 2)))
                    .filter(Files::isDirectory)
                    .flatMap(this::named);
        }
        return path.endsWith("/") ? named(Path.of(path)) : Stream.of(Path.of(path));
    }

    /** The files of a directory that Boot reads, of any profile. */
    private Stream<Path> named(Path directory) {
        return children(directory).filter(file -> isNamed(file.getFileName().toString()));
    }

    private boolean isNamed(String file) {
        String name = StringUtils.stripFilenameExtension(file);
        return EXTENSIONS.contains(String.valueOf(StringUtils.getFilenameExtension(file)))
                && names.stream().anyMatch(own -> name.equals(own) || name.startsWith(own + "-"));
    }

    /** A directory that is missing, or whose content is just replaced, has no files. */
    private static Stream<Path> children(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList().stream();
        } catch (IOException | UncheckedIOException _) {
            return Stream.of();
        }
    }

    private static Stream<Path> tree(Path directory) {
        try (Stream<Path> files = Files.walk(directory, DEPTH, FileVisitOption.FOLLOW_LINKS)) {
            return files.toList().stream();
        } catch (IOException | UncheckedIOException _) {
            return Stream.of();
        }
    }

    /** A file that cannot be read differs from an empty one. */
    private static void add(Path file, MessageDigest digest) {
        byte[] buffer = new byte[BUFFER];
        digest.update(file.toString().getBytes(StandardCharsets.UTF_8));
        try (InputStream content = Files.newInputStream(file)) {
            digest.update((byte) 1);
            for (int n = content.read(buffer); n >= 0; n = content.read(buffer)) {
                digest.update(buffer, 0, n);
            }
        } catch (IOException _) {
            digest.update((byte) 2);
        }
        digest.update((byte) 0);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
