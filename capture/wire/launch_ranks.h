#pragma once

namespace lacuna::wire {

/// The environment variables by which a launcher tells each process its rank.
struct LaunchVariables {
  const char* rank;
  const char* local_rank;
  const char* world_size;
  long long fewest;  ///< least world size with ranks: 1 with PyTorch's variables, else 2
};

/// torchrun and accelerate, Open MPI, PMI (MPICH, Intel MPI), Slurm; the first that is set takes precedence.
inline constexpr LaunchVariables kLaunchVariables[] = {
    {"RANK", "LOCAL_RANK", "WORLD_SIZE", 1},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE", 2},
    {"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE", 2},
    {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS", 2},
};

}  // namespace lacuna::wire
