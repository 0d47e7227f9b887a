package io.kubemirror.feature.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;

import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Tag;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Reads the objects of files. */
final class ManifestReader extends SafeConstructor {

    /** The kinds of Kubernetes that have no namespace. */
    private static final String CLUSTER_SCOPED =
            "APIService|CertificateSigningRequest|CSI(Driver|Node)|Cluster.*|FlowSchema|Namespace"
                    + "|CustomResourceDefinition|(Mutating|Validating).*|Node|PersistentVolume"
                    + "|PriorityLevelConfiguration|ResourceSlice|VolumeAttachment|.*Class";

    /** A date is a text. */
    private ManifestReader() {
        super(new LoaderOptions());
        yamlConstructors.put(Tag.TIMESTAMP, new ConstructYamlStr());
    }

    /** What tells an object from all others. */
    record ObjectId(ResourceType type, ObjectKey key) {}

    /**
     * Returns the JSON of all objects in the documents of a file, those of a {@code List} included.
     *
     * @throws IllegalArgumentException with a message that names the file, and quotes nothing of it
     */
    static Map<ObjectId, String> read(Path file, byte[] bytes) {
        Map<ObjectId, String> all = new LinkedHashMap<>();
        try {
            for (Object document :
                    new Yaml(new ManifestReader()).loadAll(new String(bytes, UTF_8))) {
                objects(JsonMapper.shared().valueToTree(document))
                        .forEach(object -> all.put(id(object), object.toString()));
            }
            return all;
        } catch (MarkedYAMLException malformed) {
            int line = malformed.getProblemMark().getLine() + 1;
            throw new IllegalArgumentException(
                    file + ", line " + line + ": is neither YAML nor JSON");
        } catch (YAMLException | JacksonException _) {
            throw new IllegalArgumentException(
                    file
                            + ": is no YAML or JSON within the limits: 3 Mi characters, 50 levels,"
                            + " 50 aliases");
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    private static Stream<ObjectNode> objects(JsonNode document) {
        if (document.isNull() || text(document, "/kind").equals("List")) {
            return document.path("items").valueStream().flatMap(ManifestReader::objects);
        }
        boolean isNamed = !text(document, "/metadata/name").matches("|\\.\\.?|.*[/%].*");
        if (!isNamed || text(document, "/kind").isEmpty() || !document.has("apiVersion")) {
            throw new IllegalArgumentException("an object has no apiVersion, kind, or plain name");
        }
        return Stream.of((ObjectNode) document);
    }

    private static String text(JsonNode object, String path) {
        return object.at(path).asString("");
    }

    /** Identifies an object, and adds what a server adds. */
    private static ObjectId id(ObjectNode object) {
        ResourceType type = type(object);
        ObjectNode metadata = (ObjectNode) object.path("metadata");
        if (!type.namespaced()) {
            metadata.remove("namespace");
        } else if (text(metadata, "/namespace").isEmpty()) {
            metadata.put("namespace", "default");
        }
        String namespace = text(metadata, "/namespace");
        ObjectId id = new ObjectId(type, ObjectKey.of(namespace, text(metadata, "/name")));
        metadata.put("uid", UUID.nameUUIDFromBytes(id.toString().getBytes(UTF_8)).toString());
        return id;
    }

    /** A custom resource is namespaced if it names a namespace. */
    private static ResourceType type(JsonNode object) {
        String apiVersion = text(object, "/apiVersion");
        int slash = apiVersion.indexOf('/');
        String group = apiVersion.substring(0, Math.max(0, slash));
        String version = apiVersion.substring(slash + 1);
        String kind = text(object, "/kind");
        String singular = kind.toLowerCase(Locale.ROOT);
        boolean namespaced =
                ResourceType.isBuiltIn(group)
                        ? !kind.matches(CLUSTER_SCOPED)
                        : !text(object, "/metadata/namespace").isEmpty();
        String plural = plural(singular);
        return new ResourceType(
                group, version, kind, plural, singular, namespaced, List.of(), List.of());
    }

    /** Kubernetes guesses in the same way. */
    private static String plural(String singular) {
        String most = singular.replaceFirst("^endpoints$", "endpoint");
        return most.replaceFirst("([^aeiou])y$", "$1ie").replaceFirst("s$", "se") + "s";
    }
}
